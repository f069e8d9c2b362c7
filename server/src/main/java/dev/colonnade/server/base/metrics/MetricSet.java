package dev.colonnade.server.base.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * The metrics of one node by name and labels. Requesting the same one twice returns the same
 * metric. The number of series is bounded: labels are for things that an operator created, not for
 * what clients send.
 */
public final class MetricSet {
  private static final int MAX_SERIES = 100_000;

  private final TreeMap<String, Family> families = new TreeMap<>();
  private int seriesCount;

  /** An empty set. */
  public MetricSet() {}

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

  /** Removes every series with that label, when the thing it stands for is gone. */
  public synchronized void remove(String label, String value) {
    for (Family family : families.values()) {
      int before = family.series().size();
      family.series().keySet().removeIf(labels -> value.equals(labels.pairs().get(label)));
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
    if (family == null) {
      family = new Family(help, kind, new TreeMap<>());
      families.put(name, family);
    }
    if (family.kind() != kind) {
      throw new IllegalArgumentException(
          name + " is a " + family.kind().getSimpleName() + ", not a " + kind.getSimpleName());
    }
    Metric present = family.series().get(labels);
    if (present != null) {
      return kind.cast(present);
    }
    if (seriesCount >= MAX_SERIES) {
      throw new IllegalStateException(
          "more than " + MAX_SERIES + " series; " + name + " has a label with too many values");
    }
    M metric = factory.get();
    family.series().put(labels, metric);
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
