package dev.colonnade.server.base.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.sim.SimClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When work counts as stalled, and how that is reported. */
final class WatchdogTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final SimClock clock = new SimClock();
  private final Health health = new Health();
  private final Watchdog watchdog = new Watchdog(health, clock, LIMIT);

  /** The work in progress, by part and item, with its steps. */
  private final Map<List<String>, Long> atWork = new LinkedHashMap<>();

  private final Map<List<String>, Long> inTurns = new LinkedHashMap<>();
  private final List<String> asked = new ArrayList<>();

  WatchdogTest() {
    watchdog.watch(this::report);
  }

  private void report(Watched.Observer observer) {
    atWork.forEach(
        (item, steps) ->
            observer.atWork(
                item.get(0),
                item.get(1),
                steps,
                () -> {
                  asked.add(item.get(1));
                  return "somewhere";
                }));
    inTurns.forEach(
        (item, steps) -> observer.inTurns(item.get(0), item.get(1), steps, () -> "somewhere"));
  }

  private void pass(Duration time) {
    long end = clock.monotonicNanos() + time.toNanos();
    while (clock.monotonicNanos() < end) {
      clock.advance(Watchdog.PERIOD);
      watchdog.look();
    }
  }

  private String wrong() {
    return health.report().reasons(Impact.UNFAVOURABLE).orElse("");
  }

  @Test
  void workThatStandsStillForLongerThanTheLimitIsNamedUntilItMoves() {
    atWork.put(List.of("stage read", "read-1"), 7L);
    pass(LIMIT);
    assertEquals("", wrong());
    pass(Duration.ofSeconds(2));
    assertEquals("stage read: has made no progress for more than 10 s", wrong());
    assertEquals(Impact.UNFAVOURABLE, health.report().impact());
    assertEquals(1, watchdog.stalls());
    pass(Duration.ofSeconds(100));
    assertEquals(1, watchdog.stalls());
    assertEquals(List.of("read-1"), asked, "its stack is asked for once");

    atWork.put(List.of("stage read", "read-1"), 8L);
    pass(Watchdog.PERIOD);
    assertEquals("", wrong());
    pass(LIMIT.plusSeconds(2));
    assertEquals(2, watchdog.stalls(), "it stands still at its next step");
    atWork.clear();
    pass(Watchdog.PERIOD);
    assertEquals(Impact.NONE, health.report().impact());
  }

  @Test
  void workThatMovesAndPartsWithoutWorkAreWell() {
    for (long step = 0; step < 100; step++) {
      atWork.put(List.of("stage read", "read-1"), step);
      pass(LIMIT.minusSeconds(1));
    }
    atWork.clear();
    pass(LIMIT.multipliedBy(10));
    assertEquals(Impact.NONE, health.report().impact());
    assertEquals(0, watchdog.stalls());
  }

  @Test
  void aPartIsWellWhenAllOfItMoves() {
    atWork.put(List.of("stage read", "read-1"), 1L);
    atWork.put(List.of("stage read", "read-2"), 1L);
    pass(LIMIT.plusSeconds(2));
    assertEquals("stage read: 2 of its tasks have made no progress for more than 10 s", wrong());
    atWork.remove(List.of("stage read", "read-1"));
    pass(Watchdog.PERIOD);
    assertTrue(wrong().startsWith("stage read: has made no progress"), wrong());
    atWork.clear();
    pass(Watchdog.PERIOD);
    assertEquals("", wrong());
  }

  @Test
  void workThatWaitsForItsTurnHasThirtyTimesAsLong() {
    inTurns.put(List.of("merge", "1"), 1L);
    pass(LIMIT.multipliedBy(30));
    assertEquals("", wrong());
    pass(Duration.ofSeconds(2));
    assertEquals("merge: has made no progress for more than 300 s", wrong());
  }

  @Test
  void aProcessThatStoodStillAsAWholeBlamesNoPart() {
    atWork.put(List.of("stage read", "read-1"), 1L);
    pass(Duration.ofSeconds(5));
    clock.advance(Duration.ofHours(1));
    watchdog.look();
    pass(Duration.ofSeconds(3));
    assertEquals("", wrong());
    pass(Duration.ofSeconds(2));
    assertEquals("stage read: has made no progress for more than 10 s", wrong());
  }

  @Test
  void aPartThatCannotSayWhatItIsAtHidesNoOther() {
    Watchdog two = new Watchdog(health, clock, LIMIT);
    two.watch(
        observer -> {
          throw new IllegalStateException("thrown on purpose by a test");
        });
    two.watch(this::report);
    atWork.put(List.of("write pipeline", ""), 1L);
    for (int i = 0; i < 13; i++) {
      clock.advance(Watchdog.PERIOD);
      two.look();
    }
    assertEquals("write pipeline: has made no progress for more than 10 s", wrong());
  }
}
