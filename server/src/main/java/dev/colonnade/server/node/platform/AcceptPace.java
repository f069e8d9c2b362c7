package dev.colonnade.server.node.platform;

import java.time.Duration;

/**
 * Limits how fast a full port accepts further connections, each of which replaces another one.
 * Clients that reopen connections as fast as they are closed would otherwise occupy the event
 * loops; instead the rest waits in the operating system's queue, where it costs nothing.
 *
 * <p>A port with room accepts as fast as it can. For one thread at a time.
 */
final class AcceptPace {

  /**
   * 2,000 per second: a fraction of a processor, and the queue of thousands of silent connections
   * delays a new client by about a second at most.
   */
  static final int PER_WINDOW = 20;

  static final Duration WINDOW = Duration.ofMillis(10);

  private long windowNanos;
  private int taken;

  AcceptPace(long nowNanos) {
    this.windowNanos = nowNanos;
  }

  /**
   * Records a connection that replaced another one, or was closed itself.
   *
   * @param nowNanos by the monotonic clock
   * @return how long to accept nothing, in nanoseconds; 0 to continue
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
