package dev.colonnade.server.cluster.failure;

import java.util.Arrays;

/**
 * The arrivals of one node's heartbeats: the time of the last one, and the mean of the latest
 * intervals. A heartbeat at second hand may be the first to arrive after several others; its
 * interval is then divided among them.
 *
 * <p>An interval longer than the longest that counts is left out: it was an outage, and would make
 * the node's next outage look normal.
 */
final class ArrivalWindow {

  private static final double LOG10_E = Math.log10(Math.E);
  private static final int NANOS_IN_MICRO = 1_000;
  private static final int FIRST_ROOM = 8;

  /** Grows to {@code size}: for a thousand nodes, most of a full window would be unused. */
  private int[] intervalsMicros = new int[FIRST_ROOM];

  private final int size;
  private final long longestNanos;
  private int next;
  private int count;
  private long sumMicros;
  private long lastNanos;

  /**
   * Creates a window that begins with a heartbeat.
   *
   * @param nowNanos monotonic, as in all methods
   * @param size how many intervals are kept, to the microsecond; more than 8
   * @param firstNanos taken for the first interval, before there is one; more than zero
   * @param longestNanos the longest interval that counts
   */
  ArrivalWindow(long nowNanos, int size, long firstNanos, long longestNanos) {
    this.size = size;
    this.longestNanos = longestNanos;
    this.lastNanos = nowNanos;
    add(firstNanos);
  }

  /**
   * A heartbeat arrived, which also shows that the skipped ones before it were sent.
   *
   * @param heartbeats since the last one that arrived, at least 1
   */
  void arrived(long nowNanos, long heartbeats) {
    long interval = (nowNanos - lastNanos) / heartbeats;
    lastNanos = nowNanos;
    if (interval <= longestNanos) {
      add(interval);
    }
  }

  /** The node was heard in another way than by a regular heartbeat. */
  void excuse(long nowNanos) {
    lastNanos = nowNanos;
  }

  /**
   * The suspicion after the silence since the last heartbeat: −log10 of the probability that a node
   * which is up stays silent for so long. 1 means one in ten, 5 one in a hundred thousand.
   */
  double phi(long nowNanos) {
    return LOG10_E * Math.max(0, nowNanos - lastNanos) / meanNanos();
  }

  private double meanNanos() {
    return Math.max(1, (double) sumMicros * NANOS_IN_MICRO / count);
  }

  private void add(long intervalNanos) {
    int micros = (int) Math.min(Integer.MAX_VALUE, intervalNanos / NANOS_IN_MICRO);
    if (count == size) {
      sumMicros -= intervalsMicros[next];
    } else {
      count++;
    }
    if (next == intervalsMicros.length) {
      intervalsMicros = Arrays.copyOf(intervalsMicros, Math.min(size, 2 * next));
    }
    intervalsMicros[next] = micros;
    sumMicros += micros;
    next = (next + 1) % size;
  }
}
