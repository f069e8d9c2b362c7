package dev.colonnade.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How long a node recently took to answer reads: a histogram that forgets. Every {@link #PERIOD}
 * answers it computes the 99th percentile and halves its counts, so that an answer weighs half
 * after that many others. Thread-safe; an answer costs two atomic increments.
 */
final class Latencies {

  /** Five answers above the 99th percentile, of the some 500 that the histogram holds. */
  static final int PERIOD = 256;

  private static final double QUANTILE = 0.99;

  /** Buckets for each power of two of a microsecond: each is at most a quarter wide. */
  private static final int BITS = 2;

  /** The last bucket begins at half an hour; no call takes longer. */
  private static final int BUCKETS = 32 << BITS;

  private final AtomicIntegerArray counts = new AtomicIntegerArray(BUCKETS);
  private final AtomicInteger sinceLast = new AtomicInteger();
  private volatile long p99Nanos;

  /** Takes the time of one answer. */
  void record(long nanos) {
    counts.incrementAndGet(bucket(TimeUnit.NANOSECONDS.toMicros(nanos)));
    if (sinceLast.incrementAndGet() == PERIOD) {
      p99Nanos = forgetHalf();
      sinceLast.set(0);
    }
  }

  /** The upper bound of the bucket of the 99th percentile; 0 before there were enough answers. */
  long p99Nanos() {
    return p99Nanos;
  }

  private long forgetHalf() {
    int[] seen = new int[BUCKETS];
    long all = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen[i] = counts.get(i);
      all += seen[i];
      counts.addAndGet(i, -(seen[i] + 1) / 2);
    }
    long above = all - (long) Math.ceil(all * QUANTILE);
    int bucket = BUCKETS - 1;
    while (bucket > 0 && seen[bucket] <= above) {
      above -= seen[bucket];
      bucket--;
    }
    return TimeUnit.MICROSECONDS.toNanos(end(bucket));
  }

  private static int bucket(long micros) {
    if (micros < 1 << BITS) {
      return (int) Math.max(0, micros);
    }
    int log = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros);
    int within = (int) (micros >>> (log - BITS)) & ((1 << BITS) - 1);
    return Math.min(BUCKETS - 1, ((log - BITS + 1) << BITS) + within);
  }

  /** Where a bucket ends, in microseconds. */
  private static long end(int bucket) {
    int next = bucket + 1;
    if (next <= 1 << BITS) {
      return next;
    }
    int log = (next >> BITS) + BITS - 1;
    return ((1L << BITS) + (next & ((1 << BITS) - 1))) << (log - BITS);
  }
}
