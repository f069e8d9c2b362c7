package dev.colonnade.server.base.async;

import java.time.Duration;

/**
 * Shares a rate in bytes per second among the users that move them: the compactions of a node, or
 * its streams. A user that has taken more than the rate allows is told how long to wait; nothing
 * waits here. One that comes back late may catch up a little, so that late timers and full queues
 * do not make the rate lower than it was set. Thread-safe.
 */
public final class Throttle {
  /** Shorter pauses are not worth a timer. */
  public static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /** How much of the time that was not used counts for later; the burst that it allows is small. */
  private static final long CATCH_UP_NANOS = Duration.ofMillis(100).toNanos();

  private long bytesPerSecond;
  private long freeAtNanos;
  private boolean used;

  /**
   * Sets the rate.
   *
   * @param bytesPerSecond 0 for no limit
   */
  public Throttle(long bytesPerSecond) {
    this.bytesPerSecond = Math.max(0, bytesPerSecond);
  }

  /** Changes the rate for the bytes from now on; 0 for no limit. */
  public synchronized void bytesPerSecond(long newBytesPerSecond) {
    bytesPerSecond = Math.max(0, newBytesPerSecond);
  }

  /** Whether more was taken than the rate allows by now, so that users wait. */
  public synchronized boolean isAhead(long nowNanos) {
    return used && freeAtNanos - nowNanos > 0;
  }

  /**
   * Counts bytes that were moved.
   *
   * @param nowNanos by the monotonic clock
   * @return how long to wait before moving more; zero if not at all
   */
  public synchronized Duration take(long bytes, long nowNanos) {
    if (bytesPerSecond == 0) {
      return Duration.ZERO;
    }
    long cost = (long) ((double) bytes / bytesPerSecond * NANOS_PER_SECOND);
    long earliest = nowNanos - CATCH_UP_NANOS;
    long from = !used ? nowNanos : freeAtNanos - earliest > 0 ? freeAtNanos : earliest;
    used = true;
    freeAtNanos = from + cost;
    Duration pause = Duration.ofNanos(freeAtNanos - nowNanos);
    return pause.compareTo(SHORTEST_PAUSE) < 0 ? Duration.ZERO : pause;
  }
}
