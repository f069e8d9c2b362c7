package dev.colonnade.server.failure;

/**
 * When the heartbeats of one node came: the last moment, and the mean of the latest intervals.
 *
 * <p>An interval longer than the longest that counts is left out: it was an outage, and would make
 * the node's next outage look normal.
 */
final class ArrivalWindow {

  private static final double LOG10_E = Math.log10(Math.E);

  private final long[] intervalsNanos;
  private final long longestNanos;
  private int next;
  private int count;
  private double sumNanos;
  private long lastNanos;

  /**
   * A window that begins with a heartbeat.
   *
   * @param nowNanos monotonic, as in all methods
   * @param size how many intervals are kept
   * @param firstNanos taken for the first interval, before there is one; more than zero
   * @param longestNanos the longest interval that counts
   */
  ArrivalWindow(long nowNanos, int size, long firstNanos, long longestNanos) {
    this.intervalsNanos = new long[size];
    this.longestNanos = longestNanos;
    this.lastNanos = nowNanos;
    add(firstNanos);
  }

  /** A heartbeat came. */
  void arrived(long nowNanos) {
    long interval = nowNanos - lastNanos;
    lastNanos = nowNanos;
    if (interval <= longestNanos) {
      add(interval);
    }
  }

  /** The node has been heard from in other ways than by a heartbeat that counts as regular. */
  void excuse(long nowNanos) {
    lastNanos = nowNanos;
  }

  /**
   * How strange the silence since the last heartbeat is: −log10 of the probability that a node
   * which is up stays silent for so long. 1 means one in ten, 5 one in a hundred thousand.
   */
  double phi(long nowNanos) {
    return LOG10_E * Math.max(0, nowNanos - lastNanos) / meanNanos();
  }

  private double meanNanos() {
    return Math.max(1, sumNanos / count);
  }

  private void add(long intervalNanos) {
    if (count == intervalsNanos.length) {
      sumNanos -= intervalsNanos[next];
    } else {
      count++;
    }
    intervalsNanos[next] = intervalNanos;
    sumNanos += intervalNanos;
    next = (next + 1) % intervalsNanos.length;
  }
}
