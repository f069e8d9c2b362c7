package dev.colonnade.server.gossip;

import dev.colonnade.server.env.Clock;
import java.time.Duration;

/**
 * Notices that this node stood still, as a process that its system suspends does, for so long that
 * the ring may have changed without it: until another node has answered since, what it knows of the
 * ring is not to be relied on. Rounds of gossip say that it goes on. Thread-safe.
 */
final class PauseDetector {

  /**
   * Less than a change of the ring leaves to all nodes for hearing of it, unless told otherwise.
   */
  private static final long LONG_NANOS = Duration.ofSeconds(8).toNanos();

  /** What waited here while the node stood still is handled first, and is not news. */
  private static final long BACKLOG_NANOS = Duration.ofMillis(500).toNanos();

  /** Where nobody answers there is nobody to be at odds with. */
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

  /** Whether the ring may have changed, and nobody has told since. */
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
