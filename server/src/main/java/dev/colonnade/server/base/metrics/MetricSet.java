package dev.colonnade.server.base.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of one node by name and labels. Requesting the same one twice returns the same
 * metric. The number of series is bounded: labels are for things that an operator created, not for
 * what clients send. Beyond the bound a metric works and is not shown, since a figure must not fail
 * the work that it is about.
 *
 * <p>Thread-safe.
 */
public final class MetricSet {
  private static final Logger LOG = LoggerFactory.getLogger(MetricSet.class);

  private static final int MAX_SERIES = 100_000;

  private final TreeMap<String, Family> families = new TreeMap<>();
  private final int maxSeries;
  private int seriesCount;
  private long leftOut;

  /** An empty set. */
  public MetricSet() {
    this(MAX_SERIES);
  }

  /** An empty set that shows a limited number of series. */
  public MetricSet(int maxSeries) {
    this.maxSeries = maxSeries;
  }

  /** How many requested series are not shown because the set was full. */
  public synchronized long leftOut() {
    return leftOut;
  }

  /** Series of one name. */
  private record Family(
      String help, Class<? extends Metric> kind, SortedMap<Labels, Metric> series) {}

  /**
   * Returns a counter; its name does not include {@code total}, exporters add that where it is the
   * custom.
   *
   * @throws IllegalArgumentException if the name is not valid or belongs to another kind
   */
  public Counter counter(String name, String help, Labels labels) {
    return register(name, help, labels, Counter.class, Counter::new);
  }

  /**
   * Registers a figure that is read when it is shown. The source must be quick and thread-safe. If
   * one with that name and labels exists, it stays.
   *
   * @throws IllegalArgumentException if the name is not valid or belongs to another kind
   */
  public Gauge gauge(String name, String help, Labels labels, DoubleSupplier source) {
    return register(name, help, labels, Gauge.class, () -> new Gauge(source));
  }

  /**
   * Returns a latency; its name ends with {@code _seconds}, the unit in which it is shown.
   *
   * @throws IllegalArgumentException if the name is not valid or belongs to another kind
   */
  public Latency latency(String name, String help, Labels labels) {
    if (!name.endsWith("_seconds")) {
      throw new IllegalArgumentException("a latency's name ends with _seconds: " + name);
    }
    return register(name, help, labels, Latency.class, Latency::new);
  }

  /** Removes every series with that label, when the things that its values stand for are gone. */
  public synchronized void remove(String label, Set<String> values) {
    for (Family family : families.values()) {
      int before = family.series().size();
      family
          .series()
          .keySet()
          .removeIf(
              labels -> {
                String value = labels.pairs().get(label);
                return value != null && values.contains(value);
              });
      seriesCount -= before - family.series().size();
    }
    families.values().removeIf(family -> family.series().isEmpty());
  }

  /** All metrics by name; a snapshot of the set of metrics, not of their figures. */
  public synchronized List<MetricFamily> families() {
    List<MetricFamily> result = new ArrayList<>();
    families.forEach(
        (name, family) -> result.add(new MetricFamily(name, family.help(), family.series())));
    return result;
  }

  private synchronized <M extends Metric> M register(
      String name, String help, Labels labels, Class<M> kind, Supplier<M> factory) {
    requireName(name);
    Family family = families.get(name);
    if (family != null) {
      if (family.kind() != kind) {
        throw new IllegalArgumentException(
            name + " is a " + family.kind().getSimpleName() + ", not a " + kind.getSimpleName());
      }
      Metric present = family.series().get(labels);
      if (present != null) {
        return kind.cast(present);
      }
    }
    M metric = factory.get();
    if (seriesCount >= maxSeries) {
      if (leftOut++ == 0) {
        LOG.error(
            "there are {} series; {} has a label with too many values, and further series are not"
                + " shown",
            maxSeries,
            name);
      }
      return metric;
    }
    families
        .computeIfAbsent(name, unused -> new Family(help, kind, new TreeMap<>()))
        .series()
        .put(labels, metric);
    seriesCount++;
    return metric;
  }

  static void requireName(String name) {
    if (!name.matches("[a-z][a-z0-9_]{0,99}") || name.endsWith("_total")) {
      throw new IllegalArgumentException(
          "a metric or label has lower-case letters, digits and _, and does not end with _total: "
              + name);
    }
  }
}
