package dev.colonnade.server.base.async;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A shared rate is neither exceeded nor, by users that come back late, missed. */
final class ThrottleTest {

  private static final long BYTES_PER_SECOND = 1_000_000;
  private static final long MILLI = 1_000_000;

  private final Throttle throttle = new Throttle(BYTES_PER_SECOND);

  @Test
  void aUserWhoseTimersAreLateMovesWhatTheRateAllows() {
    long moved = 0;
    long now = 7 * MILLI;
    long end = now + Duration.ofSeconds(10).toNanos();
    while (now < end) {
      moved += 10_000;
      Duration pause = throttle.take(10_000, now);
      now += pause.toNanos() + 9 * MILLI;
    }
    assertTrue(moved >= 0.98 * 10 * BYTES_PER_SECOND, "moved " + moved);
    assertTrue(moved <= 1.02 * 10 * BYTES_PER_SECOND, "moved " + moved);
  }

  @Test
  void aLongRestAllowsASmallBurst() {
    assertEquals(Duration.ofMillis(10), throttle.take(10_000, 0));
    long later = Duration.ofHours(1).toNanos();
    long burst = 0;
    while (throttle.take(1_000, later).isZero()) {
      burst += 1_000;
    }
    assertTrue(burst <= BYTES_PER_SECOND / 5, "moved " + burst + " bytes at once");
  }

  @Test
  void aChangedRateHoldsAtOnce() {
    throttle.take(10_000, 0);
    throttle.bytesPerSecond(0);
    assertEquals(Duration.ZERO, throttle.take(1 << 30, 0));
  }
}
