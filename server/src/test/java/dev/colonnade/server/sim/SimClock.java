package dev.colonnade.server.sim;

import dev.colonnade.server.env.Clock;
import java.time.Duration;

/**
 * Time that moves only when told to. Wall time begins in 2026 and can be stepped apart from
 * monotonic time.
 */
public final class SimClock implements Clock {
  private static final long BEGINNING_MICROS = 1_767_225_600_000_000L;

  private long nanos;
  private long wallOffsetMicros = BEGINNING_MICROS;

  @Override
  public synchronized long monotonicNanos() {
    return nanos;
  }

  @Override
  public synchronized long wallMicros() {
    return wallOffsetMicros + nanos / 1_000;
  }

  /** Lets time pass on both clocks. Timers are not fired: that is {@link SimScheduler#advance}. */
  public synchronized void advance(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("time does not go back: " + duration);
    }
    nanos += duration.toNanos();
  }

  /** Steps the wall clock alone, in either direction, as an administrator or NTP does. */
  public synchronized void stepWall(Duration step) {
    wallOffsetMicros += step.toNanos() / 1_000;
  }

  synchronized void moveTo(long newNanos) {
    nanos = Math.max(nanos, newNanos);
  }
}
