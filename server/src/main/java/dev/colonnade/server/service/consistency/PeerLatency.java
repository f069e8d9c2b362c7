package dev.colonnade.server.service.consistency;

import java.util.Arrays;

/**
 * Recent latency of one node. Old samples count less, so that a node that was slow and is no longer
 * asked gets another chance.
 *
 * <p>Thread-safe.
 */
final class PeerLatency {

  private static final int SAMPLES = 128;

  /** After how many answers the 99th percentile is recomputed; that costs a sort. */
  private static final int RECALCULATE_EVERY = 32;

  private static final double NEW_SHARE = 0.125;

  /** The time without an answer after which the recorded latency counts half. */
  private static final double HALF_LIFE_NANOS = 2e9;

  private final long[] samples = new long[SAMPLES];
  private int count;
  private double smoothedNanos;
  private int open;
  private boolean overdue;
  private long lastNanos;
  private volatile long p99Nanos;

  /** Counts a request sent to the node. */
  synchronized void asked() {
    open++;
  }

  /** Counts a request that ended, answered or not. */
  synchronized void over() {
    open--;
  }

  /**
   * Whether the node was late last time and has a request in flight. One probe is enough to find
   * out whether it has recovered; more would only be slow too.
   */
  synchronized boolean isTried() {
    return overdue && open > 0;
  }

  /** Records the latency of an answer. */
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
      // Prevents overflow; the number only says where the next sample goes.
      count = count >= 2 * SAMPLES ? count - SAMPLES : count;
    }
  }

  /** Records an overdue answer; it weighs more in the order of nodes than one slow answer would. */
  synchronized void late(long waitedNanos, long nowNanos) {
    overdue = true;
    smoothedNanos = Math.max(scoreAt(nowNanos), (double) waitedNanos);
    lastNanos = nowNanos;
    count = Math.max(count, 1);
  }

  /** The score by which nodes are sorted; lower is better. */
  synchronized long scoreNanos(long nowNanos) {
    return (long) scoreAt(nowNanos);
  }

  private double scoreAt(long nowNanos) {
    return smoothedNanos * Math.pow(0.5, Math.max(0, nowNanos - lastNanos) / HALF_LIFE_NANOS);
  }

  /** The 99th percentile of latency; 0 if not known. */
  long p99Nanos() {
    return p99Nanos;
  }
}
