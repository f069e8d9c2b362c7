package dev.colonnade.server.sim;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Scheduler.Cancellable;
import dev.colonnade.server.base.env.Scheduler.StageFigures;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What every {@link Scheduler} promises. */
public abstract class SchedulerContract {

  /** A running scheduler with room for at least 100 tasks in each stage. */
  protected abstract Scheduler scheduler();

  /** Lets work happen until {@code condition} holds; fails if it never does. */
  protected abstract void await(BooleanSupplier condition);

  @Test
  void runsWhatIsSubmittedOnEveryStage() {
    AtomicInteger ran = new AtomicInteger();
    for (Stage stage : Stage.values()) {
      assertTrue(scheduler().submit(stage, ran::incrementAndGet));
    }
    await(() -> ran.get() == Stage.values().length);
  }

  @Test
  void aTaskKnowsItsStageAndOthersHaveNone() {
    List<Stage> known = Collections.synchronizedList(new ArrayList<>());
    assertNull(scheduler().current());
    for (Stage stage : Stage.values()) {
      scheduler().submit(stage, () -> known.add(requireNonNull(scheduler().current())));
    }
    await(() -> known.size() == Stage.values().length);
    assertEquals(EnumSet.allOf(Stage.class), EnumSet.copyOf(known));
    assertNull(scheduler().current());
  }

  @Test
  void serialStagesKeepTheOrder() {
    for (Stage stage : Stage.values()) {
      if (!stage.isSerial()) {
        continue;
      }
      List<Integer> order = Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < 100; i++) {
        int number = i;
        assertTrue(scheduler().submit(stage, () -> order.add(number)));
      }
      await(() -> order.size() == 100);
      for (int i = 0; i < 100; i++) {
        assertEquals(i, order.get(i));
      }
    }
  }

  @Test
  void aTaskMaySubmitAnother() {
    AtomicInteger ran = new AtomicInteger();
    Runnable second = ran::incrementAndGet;
    assertTrue(
        scheduler()
            .submit(
                Stage.CONTROL,
                () -> {
                  if (scheduler().submit(Stage.READ, second)) {
                    ran.incrementAndGet();
                  }
                }));
    await(() -> ran.get() == 2);
  }

  @Test
  void delayedTasksRunInTheOrderOfTheirDelays() {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    scheduler().after(Duration.ofMillis(60), Stage.CONTROL, () -> order.add("late"));
    scheduler().after(Duration.ofMillis(5), Stage.CONTROL, () -> order.add("early"));
    await(() -> order.size() == 2);
    assertEquals(List.of("early", "late"), order);
  }

  @Test
  void periodicTasksRepeatUntilCancelled() {
    AtomicInteger runs = new AtomicInteger();
    AtomicInteger later = new AtomicInteger();
    Cancellable periodic =
        scheduler().every(Duration.ofMillis(2), Stage.CONTROL, runs::incrementAndGet);
    await(() -> runs.get() >= 3);
    periodic.cancel();
    periodic.cancel();
    // Whatever was queued before the cancellation is behind us when these have run on the same
    // serial stage.
    assertTrue(scheduler().submit(Stage.CONTROL, later::incrementAndGet));
    await(() -> later.get() == 1);
    int after = runs.get();
    scheduler().after(Duration.ofMillis(10), Stage.CONTROL, later::incrementAndGet);
    await(() -> later.get() == 2);
    assertEquals(after, runs.get());
  }

  @Test
  void aCancelledTaskDoesNotRun() {
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger marker = new AtomicInteger();
    Cancellable task = scheduler().after(Duration.ofMillis(5), Stage.CONTROL, ran::incrementAndGet);
    task.cancel();
    scheduler().after(Duration.ofMillis(15), Stage.CONTROL, marker::incrementAndGet);
    await(() -> marker.get() == 1);
    assertEquals(0, ran.get());
  }

  @Test
  void aTaskThatThrowsIsCountedAndTheStageGoesOn() {
    AtomicInteger ran = new AtomicInteger();
    assertTrue(
        scheduler()
            .submit(
                Stage.CONTROL,
                () -> {
                  throw new IllegalStateException("thrown on purpose by a test");
                }));
    assertTrue(scheduler().submit(Stage.CONTROL, ran::incrementAndGet));
    await(() -> ran.get() == 1 && figures(Stage.CONTROL).completed() >= 2);
    assertEquals(1, figures(Stage.CONTROL).failed());
  }

  @Test
  void figuresComeInTheOrderOfTheStages() {
    List<StageFigures> figures = scheduler().figures();
    assertEquals(List.of(Stage.values()), figures.stream().map(StageFigures::stage).toList());
  }

  @Test
  void aPeriodMustBePositive() {
    assertThrows(
        IllegalArgumentException.class,
        () -> scheduler().every(Duration.ZERO, Stage.CONTROL, () -> {}));
    assertFalse(figures(Stage.CONTROL).active() > 0);
  }

  private StageFigures figures(Stage stage) {
    return figures(scheduler(), stage);
  }

  /** What one stage is doing. */
  protected static StageFigures figures(Scheduler scheduler, Stage stage) {
    return scheduler.figures().stream()
        .filter(figures -> figures.stage() == stage)
        .findFirst()
        .orElseThrow();
  }
}
