package dev.colonnade.client;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Timestamps of one client's writes: microseconds since 1970, each greater than the one before, so
 * that of two writes of one client the later wins. Thread-safe.
 */
final class Timestamps {

  private static final long MICROS_PER_SECOND = 1_000_000L;
  private static final int NANOS_PER_MICRO = 1_000;

  private final Clock clock;
  private final AtomicLong last = new AtomicLong();

  Timestamps(Clock clock) {
    this.clock = clock;
  }

  long next() {
    Instant now = clock.instant();
    long micros = now.getEpochSecond() * MICROS_PER_SECOND + now.getNano() / NANOS_PER_MICRO;
    return last.updateAndGet(before -> Math.max(before + 1, micros));
  }
}
