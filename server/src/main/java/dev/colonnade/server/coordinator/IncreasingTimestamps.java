package dev.colonnade.server.coordinator;

import dev.colonnade.server.env.Clock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The wall clock's microseconds, pushed on by one when the clock stands still or steps back, so
 * that of two writes through one node the later one wins. Thread-safe.
 */
public final class IncreasingTimestamps implements TimestampSource {

  private final Clock clock;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);

  /** Starts at {@code clock}'s time. */
  public IncreasingTimestamps(Clock clock) {
    this.clock = clock;
  }

  @Override
  public long nextMicros() {
    long now = clock.wallMicros();
    return last.updateAndGet(previous -> Math.max(previous + 1, now));
  }
}
