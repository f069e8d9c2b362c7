package dev.colonnade.server.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The contract, and that time is virtual. */
final class SimSchedulerTest extends SchedulerContract {
  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock);

  @Override
  protected Scheduler scheduler() {
    return scheduler;
  }

  @Override
  protected void await(BooleanSupplier condition) {
    scheduler.runUntil(condition, Duration.ofSeconds(5));
  }

  @Test
  void nothingRunsByItself() {
    List<String> ran = new ArrayList<>();
    assertTrue(scheduler.submit(Stage.READ, () -> ran.add("read")));
    assertEquals(List.of(), ran);
    scheduler.runUntilIdle();
    assertEquals(List.of("read"), ran);
  }

  @Test
  void anHourPassesAtOnceAndInOrder() {
    List<Long> seconds = new ArrayList<>();
    long start = clock.wallSeconds();
    scheduler.every(
        Duration.ofMinutes(10), Stage.CONTROL, () -> seconds.add(clock.wallSeconds() - start));
    scheduler.advance(Duration.ofHours(1));
    assertEquals(List.of(600L, 1200L, 1800L, 2400L, 3000L, 3600L), seconds);
    assertEquals(start + 3600, clock.wallSeconds());
  }

  @Test
  void aFullStageRefuses() {
    SimScheduler small = new SimScheduler(clock, 1);
    assertTrue(small.submit(Stage.READ, () -> {}));
    assertFalse(small.submit(Stage.READ, () -> {}));
    assertEquals(1, figures(small, Stage.READ).rejected());
    small.runUntilIdle();
    assertTrue(small.submit(Stage.READ, () -> {}));
  }

  @Test
  void afterShutDownNothingRuns() {
    List<String> ran = new ArrayList<>();
    assertTrue(scheduler.submit(Stage.READ, () -> ran.add("read")));
    scheduler.shutDown();
    assertFalse(scheduler.submit(Stage.READ, () -> ran.add("late")));
    scheduler.advance(Duration.ofSeconds(1));
    assertEquals(List.of(), ran);
  }

  @Test
  void theWallClockStepsAloneInEitherDirection() {
    long nanos = clock.monotonicNanos();
    long micros = clock.wallMicros();
    clock.stepWall(Duration.ofSeconds(-5));
    assertEquals(micros - 5_000_000, clock.wallMicros());
    assertEquals(nanos, clock.monotonicNanos());
  }
}
