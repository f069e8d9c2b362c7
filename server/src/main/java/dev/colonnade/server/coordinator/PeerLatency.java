package dev.colonnade.server.coordinator;

import java.util.Arrays;

/**
 * How quickly one node has answered lately. What is old counts less: a node that was slow and is
 * not asked any more gets another chance.
 *
 * <p>Thread-safe.
 */
final class PeerLatency {

  private static final int SAMPLES = 128;

  /** The usual latency is worked out anew after so many answers; that costs a sort. */
  private static final int RECALCULATE_EVERY = 32;

  private static final double NEW_SHARE = 0.125;

  /** After so long without an answer what is known counts half. */
  private static final double HALF_LIFE_NANOS = 2e9;

  private final long[] samples = new long[SAMPLES];
  private int count;
  private double smoothedNanos;
  private int open;
  private boolean overdue;
  private long lastNanos;
  private volatile long p99Nanos;

  /** It is asked something. */
  synchronized void asked() {
    open++;
  }

  /** A question is over, answered or not. */
  synchronized void over() {
    open--;
  }

  /**
   * Whether it was late when it was last heard of, and has a question again. One is enough to find
   * out whether it is back: others would only be late, too.
   */
  synchronized boolean isTried() {
    return overdue && open > 0;
  }

  /** An answer that took so long. */
  synchronized void record(long tookNanos, long nowNanos) {
    overdue = false;
    smoothedNanos =
        count == 0 ? tookNanos : scoreAt(nowNanos) * (1 - NEW_SHARE) + tookNanos * NEW_SHARE;
    lastNanos = nowNanos;
    samples[count % SAMPLES] = tookNanos;
    count++;
    if (count % RECALCULATE_EVERY == 0) {
      long[] sorted = Arrays.copyOf(samples, Math.min(count, SAMPLES));
      Arrays.sort(sorted);
      p99Nanos = sorted[sorted.length - 1 - sorted.length / 100];
      // So that the number cannot run over; it only says where the next sample goes.
      count = count >= 2 * SAMPLES ? count - SAMPLES : count;
    }
  }

  /** An answer is overdue; in the order of nodes it counts for more than one late answer would. */
  synchronized void late(long waitedNanos, long nowNanos) {
    overdue = true;
    smoothedNanos = Math.max(scoreAt(nowNanos), (double) waitedNanos);
    lastNanos = nowNanos;
    count = Math.max(count, 1);
  }

  /** What nodes are ordered by: the lower the better. */
  synchronized long scoreNanos(long nowNanos) {
    return (long) scoreAt(nowNanos);
  }

  private double scoreAt(long nowNanos) {
    return smoothedNanos * Math.pow(0.5, Math.max(0, nowNanos - lastNanos) / HALF_LIFE_NANOS);
  }

  /** One answer in a hundred takes longer; 0 while that is not known. */
  long p99Nanos() {
    return p99Nanos;
  }
}
