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

  /** How many buckets there are, one for each power of two. The last one has no upper bound. */
  public int buckets() {
    return counts.length;
  }

  /** The first duration, in nanoseconds, that is beyond a bucket. */
  public long upperBoundNanos(int bucket) {
    return bucket == counts.length - 1 ? Long.MAX_VALUE : Latency.upperBoundNanos(bucket);
  }

  /** How many records are in a bucket. */
  public long bucketCount(int bucket) {
    return counts[bucket];
  }
}
