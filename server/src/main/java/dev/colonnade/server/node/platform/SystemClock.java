package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.Clock;
import java.time.Instant;

/** The clocks of the machine. */
public final class SystemClock implements Clock {

  @Override
  public long monotonicNanos() {
    return System.nanoTime();
  }

  @Override
  public long wallMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000L + now.getNano() / 1_000;
  }
}
