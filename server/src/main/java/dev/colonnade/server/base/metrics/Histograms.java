package dev.colonnade.server.base.metrics;

import io.prometheus.metrics.core.metrics.Histogram;

/** Makes the histograms of this store, so that all durations have the same buckets. */
public final class Histograms {

  private static final double NANOS_PER_SECOND = 1e9;

  /** From a read in memory to the longest timeout that anybody sets, about three a decade. */
  private static final double[] DURATION_SECONDS = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
  };

  private static final double[] COUNTS = {0, 1, 10, 100, 1_000, 10_000, 100_000};

  private Histograms() {}

  /**
   * A histogram of durations, not registered yet.
   *
   * @param name ends with {@code _seconds}, the unit in which it is recorded and shown
   */
  public static Histogram ofDurations(String name, String help, String... labels) {
    if (!name.endsWith("_seconds")) {
      throw new IllegalArgumentException("a duration is in seconds, and its name says so: " + name);
    }
    return of(name, help, DURATION_SECONDS, labels);
  }

  /** A histogram of how many of something there were each time, not registered yet. */
  public static Histogram ofCounts(String name, String help, String... labels) {
    return of(name, help, COUNTS, labels);
  }

  private static Histogram of(String name, String help, double[] bounds, String... labels) {
    // Exemplars would look for a trace at each record.
    return Histogram.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .classicOnly()
        .classicUpperBounds(bounds)
        .withoutExemplars()
        .build();
  }

  /** A duration in the unit of histograms; a negative one, of a clock that was set, is none. */
  public static double seconds(long nanos) {
    return Math.max(0, nanos) / NANOS_PER_SECOND;
  }
}
