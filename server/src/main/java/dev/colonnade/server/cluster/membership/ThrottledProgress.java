package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.env.Clock;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Passes on the first step of each phase, and then one step per period: streams report every few
 * rows, which is too much for a log or for gossip. Thread-safe.
 */
public final class ThrottledProgress implements Consumer<MembershipProgress> {

  private final Clock clock;
  private final long periodNanos;
  private final Consumer<MembershipProgress> next;
  private String phase = "";
  private long passedNanos;

  /** Starts with nothing passed on. */
  public ThrottledProgress(Clock clock, Duration period, Consumer<MembershipProgress> next) {
    this.clock = clock;
    this.periodNanos = period.toNanos();
    this.next = next;
  }

  @Override
  public void accept(MembershipProgress step) {
    synchronized (this) {
      long now = clock.monotonicNanos();
      if (phase.equals(step.phase()) && now - passedNanos < periodNanos) {
        return;
      }
      phase = step.phase();
      passedNanos = now;
    }
    next.accept(step);
  }
}
