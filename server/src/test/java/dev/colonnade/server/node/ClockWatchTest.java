package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClockWatchTest {

  private final Health health = new Health();
  private long ahead;
  private final ClockWatch watch = new ClockWatch(health, () -> ahead, Duration.ofMillis(500));

  private boolean differsAt(long aheadMicros) {
    ahead = aheadMicros;
    watch.check();
    return health.report().problems().stream()
        .anyMatch(problem -> problem.condition() == Condition.CLOCK);
  }

  @Test
  void aClockBeyondTheLimitIsAConditionUntilItIsMended() {
    AtomicInteger changes = new AtomicInteger();
    health.listen(changes::incrementAndGet);
    assertFalse(differsAt(0));
    assertFalse(differsAt(500_000));
    assertFalse(differsAt(-500_000));
    assertTrue(differsAt(-500_001));
    assertEquals(Impact.NOTICE, health.report().impact());
    String told = health.report().reasons(Impact.NOTICE).orElseThrow();
    assertTrue(told.contains("0.5 s behind those of the other nodes"), told);
    assertTrue(told.contains("clock_offset_limit"), told);
    assertTrue(differsAt(-300_000_000));
    assertTrue(differsAt(490_000));
    assertEquals(1, changes.get());
    assertFalse(differsAt(450_000));
    assertEquals(2, changes.get());
    assertTrue(differsAt(500_001));
  }

  @Test
  void theLimitMayChange() {
    watch.limit(Duration.ofSeconds(10));
    assertFalse(differsAt(9_000_000));
    watch.limit(Duration.ofMillis(1));
    assertTrue(differsAt(9_000_000));
    watch.limit(Duration.ofSeconds(10));
    assertFalse(differsAt(9_000_000));
  }
}
