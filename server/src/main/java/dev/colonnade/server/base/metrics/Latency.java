package dev.colonnade.server.base.metrics;

import java.util.concurrent.atomic.LongAdder;

/** A histogram of durations, of fixed size, with a bucket for each power of two of nanoseconds. */
public final class Latency implements Metric {
  /** Everything below 1.024 µs is in the first bucket. */
  static final int LOWEST_EXPONENT = 10;

  /** Everything from 2^37 ns (137 s) on is in the last one. */
  static final int HIGHEST_EXPONENT = 36;

  static final int BUCKETS = HIGHEST_EXPONENT - LOWEST_EXPONENT + 2;

  private final LongAdder[] counts = new LongAdder[BUCKETS];
  private final LongAdder sumNanos = new LongAdder();

  /** A latency outside of any set, for parts that can do without. */
  public Latency() {
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Records that something took that long; a negative duration counts as zero. */
  public void record(long nanos) {
    long duration = Math.max(0, nanos);
    counts[bucket(duration)].increment();
    sumNanos.add(duration);
  }

  /** What was recorded so far. Records made meanwhile may be in it in part. */
  public LatencySnapshot snapshot() {
    long[] copy = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      copy[i] = counts[i].sum();
    }
    return new LatencySnapshot(copy, sumNanos.sum());
  }

  static int bucket(long nanos) {
    int exponent = 63 - Long.numberOfLeadingZeros(nanos | 1);
    return Math.max(0, Math.min(exponent - LOWEST_EXPONENT + 1, BUCKETS - 1));
  }

  /** The first duration that is in a later bucket; that of the last one has no meaning. */
  static long upperBoundNanos(int bucket) {
    return 1L << (LOWEST_EXPONENT + bucket);
  }
}
