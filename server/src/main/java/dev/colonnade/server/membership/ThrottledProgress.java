package dev.colonnade.server.membership;

import dev.colonnade.server.env.Clock;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Passes on the first step of each phase, and of the others one in each period: streams tell of
 * every few rows, which is more than a log or other nodes want to hear. Thread-safe.
 */
public final class ThrottledProgress implements Consumer<MembershipProgress> {

  private final Clock clock;
  private final long periodNanos;
  private final Consumer<MembershipProgress> next;
  private String phase = "";
  private long passedNanos;

  /** Nothing has passed yet. */
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
