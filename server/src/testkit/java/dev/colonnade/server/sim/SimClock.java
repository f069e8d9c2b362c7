package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.Clock;
import java.time.Duration;

/**
 * Time that moves only when told to. Wall time begins in 2026 and can be stepped, and drift, apart
 * from monotonic time.
 */
public final class SimClock implements Clock {
  private static final long BEGINNING_MICROS = 1_767_225_600_000_000L;

  private final VirtualTime time;
  private final long zeroNanos;
  private long wallOffsetMicros = BEGINNING_MICROS;
  private long driftPerMillion;
  private long driftSinceMicros;

  /** A clock with a time of its own. */
  public SimClock() {
    this(new VirtualTime(), 0);
  }

  /**
   * A clock that shows a shared time.
   *
   * @param zeroNanos what its monotonic clock shows at the beginning of that time
   */
  SimClock(VirtualTime time, long zeroNanos) {
    this.time = time;
    this.zeroNanos = zeroNanos;
  }

  @Override
  public long monotonicNanos() {
    return zeroNanos + time.nanos();
  }

  @Override
  public synchronized long wallMicros() {
    long micros = time.nanos() / 1_000;
    return wallOffsetMicros + micros + (micros - driftSinceMicros) * driftPerMillion / 1_000_000;
  }

  /** Lets time pass on both clocks. Timers are not fired: that is {@link SimScheduler#advance}. */
  public synchronized void advance(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("time does not go back: " + duration);
    }
    time.moveTo(time.nanos() + duration.toNanos());
  }

  /** Steps the wall clock alone, in either direction, as an administrator or NTP does. */
  public synchronized void stepWall(Duration step) {
    wallOffsetMicros += step.toNanos() / 1_000;
  }

  /**
   * From now on the wall clock gains these microseconds per second; negative if it loses them. What
   * it has gained so far stays.
   */
  public synchronized void driftWall(long perMillion) {
    long now = wallMicros();
    driftPerMillion = perMillion;
    driftSinceMicros = time.nanos() / 1_000;
    wallOffsetMicros = now - driftSinceMicros;
  }

  /** Shows the same wall time as the true clock of that world again, and drifts no more. */
  synchronized void correctWall(SimClock truth) {
    driftWall(0);
    wallOffsetMicros += truth.wallMicros() - wallMicros();
  }

  VirtualTime time() {
    return time;
  }
}
