package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Events of a call are delivered in the order in which they came, on any threads. */
final class CallEventsTest {

  private final DirectScheduler scheduler = new DirectScheduler();
  private final List<Integer> told = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private int refused;
  private final CallEvents events =
      new CallEvents(scheduler, new LargeTurns(scheduler), this, failures::add, () -> refused++);

  /** A large event with its number. */
  private final class LargeEvent implements CallEvents.Large {
    private final int number;
    private final Runnable asksForMore;
    private boolean dropped;

    LargeEvent(int number, Runnable asksForMore) {
      this.number = number;
      this.asksForMore = asksForMore;
    }

    @Override
    public long bytes() {
      return 1;
    }

    @Override
    public CallEvents.@Nullable CallEvent run() {
      if (!dropped) {
        told.add(number);
        asksForMore.run();
      }
      return null;
    }

    @Override
    public void drop() {
      dropped = true;
    }
  }

  private CallEvents.CallEvent small(int number) {
    return () -> {
      told.add(number);
      return null;
    };
  }

  private static void nothing() {}

  @Test
  void whatComesWhileALargeEventRunsWaitsForTheOneThatItAskedFor() {
    scheduler.hold();
    events.add(
        new LargeEvent(
            1,
            () -> {
              events.add(new LargeEvent(2, CallEventsTest::nothing));
              events.add(small(3));
            }));
    scheduler.runHeld();
    assertEquals(List.of(1, 2, 3), told);
    events.add(small(4));
    assertEquals(List.of(1, 2, 3, 4), told, "nothing is at work any more");
  }

  @Test
  void whatFoundNoMemoryHoldsUpWhatComesAfterIt() {
    events.add(
        () -> {
          told.add(1);
          return small(2);
        });
    events.add(small(3));
    events.add(new LargeEvent(4, CallEventsTest::nothing));
    assertEquals(List.of(1), told);
    scheduler.runHeld();
    assertEquals(List.of(1, 2, 3, 4), told);
  }

  @Test
  void aFullStageIsToldAndDoesNotKeepTheRest() {
    scheduler.refuse();
    events.add(new LargeEvent(1, CallEventsTest::nothing));
    events.add(small(2));
    assertEquals(1, refused);
    assertEquals(List.of(2), told);
  }

  @Test
  void whatIsDroppedBeforeItsTurnIsNotTold() {
    scheduler.hold();
    events.add(new LargeEvent(1, CallEventsTest::nothing));
    events.add(new LargeEvent(2, CallEventsTest::nothing));
    events.add(small(3));
    events.dropLarge();
    scheduler.runHeld();
    assertEquals(List.of(3), told);
  }

  @Test
  void anEventThatThrowsIsToldAndTheNextRuns() {
    events.add(
        () -> {
          throw new AssertionError("a bug");
        });
    events.add(small(2));
    assertEquals(1, failures.size());
    assertEquals(List.of(2), told);
  }

  /** Any mixture, with tasks of the stage in between, some of which cause further events. */
  @Test
  void theOrderStandsForAnyMixture() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      DirectScheduler stage = new DirectScheduler();
      stage.hold();
      List<Integer> order = new ArrayList<>();
      CallEvents mixed =
          new CallEvents(stage, new LargeTurns(stage), this, failures::add, () -> refused++);
      Queue<Integer> numbers = new ArrayDeque<>();
      for (int i = 0; i < 12; i++) {
        numbers.add(i);
      }
      while (!numbers.isEmpty()) {
        add(mixed, numbers, order, random);
        if (random.nextInt(3) == 0) {
          stage.runHeld();
        }
      }
      stage.runHeld();
      List<Integer> sorted = order.stream().sorted().toList();
      assertEquals(sorted, order, "seed " + seed);
      assertEquals(12, order.size(), "seed " + seed);
    }
    assertTrue(failures.isEmpty());
    assertEquals(0, refused);
  }

  private static void add(
      CallEvents events, Queue<Integer> numbers, List<Integer> order, Random random) {
    Integer number = numbers.poll();
    if (number == null) {
      return;
    }
    switch (random.nextInt(4)) {
      case 0 -> events.add(step(number, order));
      case 1 -> events.add(() -> step(number, order));
      default ->
          events.add(
              new CallEvents.Large() {
                @Override
                public long bytes() {
                  return 1;
                }

                @Override
                public CallEvents.@Nullable CallEvent run() {
                  order.add(number);
                  if (random.nextBoolean()) {
                    add(events, numbers, order, random);
                  }
                  return null;
                }

                @Override
                public void drop() {}
              });
    }
  }

  private static CallEvents.CallEvent step(int number, List<Integer> order) {
    return () -> {
      order.add(number);
      return null;
    };
  }
}
