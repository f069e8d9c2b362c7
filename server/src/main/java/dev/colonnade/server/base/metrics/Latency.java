package dev.colonnade.server.base.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of durations, of fixed size. Each power of two of nanoseconds has four buckets, so a
 * quantile is too high by a quarter at most.
 */
public final class Latency implements Metric {
  static final int SUB_BUCKETS = 4;

  /** Everything below 1.024 µs is in the first four buckets. */
  static final int LOWEST_EXPONENT = 10;

  /** Everything from 2^37 ns (137 s) on is in the last one. */
  static final int HIGHEST_EXPONENT = 36;

  static final int BUCKETS = (HIGHEST_EXPONENT - LOWEST_EXPONENT + 2) * SUB_BUCKETS;

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
    if (exponent < LOWEST_EXPONENT) {
      return (int) (nanos >>> (LOWEST_EXPONENT - 2));
    }
    if (exponent > HIGHEST_EXPONENT) {
      return BUCKETS - 1;
    }
    int sub = (int) (nanos >>> (exponent - 2)) & (SUB_BUCKETS - 1);
    return (exponent - LOWEST_EXPONENT + 1) * SUB_BUCKETS + sub;
  }

  /** The first duration that is in a later bucket. */
  static long upperBoundNanos(int bucket) {
    int octave = bucket / SUB_BUCKETS;
    int next = bucket % SUB_BUCKETS + 1;
    if (octave == 0) {
      return (long) next << (LOWEST_EXPONENT - 2);
    }
    return (long) (SUB_BUCKETS + next) << (LOWEST_EXPONENT + octave - 3);
  }
}
