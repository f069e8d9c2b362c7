package dev.colonnade.server.base.env;

/**
 * The two clocks of a node. They are never mixed: durations and deadlines come from the monotonic
 * clock only, timestamps of columns, deletion times and expiry from the wall clock only.
 *
 * <p>Thread-safe.
 */
public interface Clock {

  /** Nanoseconds of a clock that never goes back; its zero has no meaning. */
  long monotonicNanos();

  /** Microseconds since 1970-01-01T00:00Z. May step in either direction. */
  long wallMicros();

  /** Whole seconds since 1970-01-01T00:00Z, the unit of deletion times and of expiry. */
  default long wallSeconds() {
    return Math.floorDiv(wallMicros(), 1_000_000L);
  }
}
