package dev.colonnade.server.base.metrics;

/** What a {@link Latency} had recorded at one moment. Immutable. */
public final class LatencySnapshot {
  private static final double NANOS_PER_MICRO = 1_000;

  private final long[] counts;
  private final long count;
  private final long sumNanos;

  LatencySnapshot(long[] counts, long sumNanos) {
    this.counts = counts;
    this.sumNanos = sumNanos;
    long total = 0;
    for (long c : counts) {
      total += c;
    }
    this.count = total;
  }

  /** How many records there are. */
  public long count() {
    return count;
  }

  /** All durations together, in nanoseconds. */
  public long sumNanos() {
    return sumNanos;
  }

  /** The mean of all durations in microseconds; 0 without records. */
  public double meanMicros() {
    return count == 0 ? 0 : sumNanos / (NANOS_PER_MICRO * count);
  }

  /**
   * A duration, in nanoseconds, that {@code quantile} of the records did not exceed, rounded up to
   * its bucket's end; 0 without records.
   *
   * @param quantile 0 to 1
   */
  public long quantileNanos(double quantile) {
    if (!(quantile >= 0 && quantile <= 1)) {
      throw new IllegalArgumentException("a quantile is from 0 to 1, not " + quantile);
    }
    long wanted = Math.max(1, (long) Math.ceil(quantile * count));
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return Latency.upperBoundNanos(i);
      }
    }
    return 0;
  }

  /** The buckets as powers of two: how many there are. The last one has no upper bound. */
  public int octaves() {
    return counts.length / Latency.SUB_BUCKETS;
  }

  /** The first duration, in nanoseconds, that is beyond an octave. */
  public long octaveUpperBoundNanos(int octave) {
    return octave == octaves() - 1
        ? Long.MAX_VALUE
        : Latency.upperBoundNanos(octave * Latency.SUB_BUCKETS + Latency.SUB_BUCKETS - 1);
  }

  /** How many records are in an octave. */
  public long octaveCount(int octave) {
    long total = 0;
    for (int i = 0; i < Latency.SUB_BUCKETS; i++) {
      total += counts[octave * Latency.SUB_BUCKETS + i];
    }
    return total;
  }
}
