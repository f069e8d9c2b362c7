package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.Clock;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells whether the flushes that are to make room for writes get on: whether waiting for them is of
 * any use. Thread-safe.
 */
final class FlushProgress {

  private final Clock clock;
  private LongSupplier steps = () -> 0;
  private long seen;
  private long changedNanos;

  FlushProgress(Clock clock) {
    this.clock = clock;
  }

  /** Sets what changes with every step of a flush. */
  synchronized void follow(LongSupplier stepsOfFlushes) {
    steps = stepsOfFlushes;
  }

  /** Room has just run out: from now on flushes have to make progress. */
  synchronized void begin() {
    seen = steps.getAsLong();
    changedNanos = clock.monotonicNanos();
  }

  /** Whether there was no progress since {@link #begin} for at least this time. */
  synchronized boolean isStill(Duration limit) {
    long now = clock.monotonicNanos();
    long found = steps.getAsLong();
    if (found != seen) {
      seen = found;
      changedNanos = now;
    }
    return now - changedNanos >= limit.toNanos();
  }
}
