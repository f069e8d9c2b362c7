package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.env.Clock;
import java.time.Duration;

/**
 * Notices that this process was paused, for instance suspended by its operating system, long enough
 * to have missed a ring change: until another node has answered since, its view of the ring must
 * not be relied on. Rounds of gossip show that the process runs. Thread-safe.
 */
final class PauseDetector {

  /**
   * Less than the delay that a ring change leaves for all nodes to hear of it, at the default
   * settings.
   */
  private static final long LONG_NANOS = Duration.ofSeconds(8).toNanos();

  /** Messages that waited here during the pause are handled first, and are no news. */
  private static final long BACKLOG_NANOS = Duration.ofMillis(500).toNanos();

  /** If no node answers for this long, there is none to disagree with. */
  private static final long GIVE_UP_NANOS = Duration.ofSeconds(10).toNanos();

  private final Clock clock;
  private boolean begun;
  private long roundNanos;
  private boolean behind;
  private long wokeNanos;

  PauseDetector(Clock clock) {
    this.clock = clock;
  }

  /** A round of gossip begins. */
  synchronized void round() {
    notice();
    roundNanos = clock.monotonicNanos();
    begun = true;
    if (behind && roundNanos - wokeNanos > GIVE_UP_NANOS) {
      behind = false;
    }
  }

  /** Another node answered. */
  synchronized void answered() {
    notice();
    if (behind && clock.monotonicNanos() - wokeNanos > BACKLOG_NANOS) {
      behind = false;
    }
  }

  /** True after a pause long enough to have missed a ring change, until a peer has answered. */
  synchronized boolean suspectsStaleRing() {
    notice();
    return behind;
  }

  private void notice() {
    long now = clock.monotonicNanos();
    if (begun && now - roundNanos > LONG_NANOS) {
      behind = true;
      wokeNanos = now;
      roundNanos = now;
    }
  }
}
