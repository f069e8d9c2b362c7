package dev.colonnade.server.adapter;

import java.time.Duration;

/**
 * How fast a port that is full takes further connections, each of which pushes out another one. Who
 * opens them again as fast as they are closed would otherwise keep the event loops busy with that
 * alone; so the rest waits in the system's queue, where it costs nothing.
 *
 * <p>A port with room accepts as fast as it can. For one thread at a time.
 */
final class AcceptPace {

  /**
   * 2,000 a second: a fraction of a processor, and what thousands of silent connections have queued
   * up holds up a new client for about a second at most.
   */
  static final int PER_WINDOW = 20;

  static final Duration WINDOW = Duration.ofMillis(10);

  private long windowNanos;
  private int taken;

  AcceptPace(long nowNanos) {
    this.windowNanos = nowNanos;
  }

  /**
   * Notes a connection that pushed out another one, or was closed itself.
   *
   * @param nowNanos by the monotonic clock
   * @return for how long to accept nothing, in nanoseconds; 0 to go on
   */
  long tookWhenFull(long nowNanos) {
    if (nowNanos - windowNanos >= WINDOW.toNanos()) {
      windowNanos = nowNanos;
      taken = 0;
    }
    taken++;
    return taken < PER_WINDOW ? 0 : windowNanos + WINDOW.toNanos() - nowNanos;
  }
}
