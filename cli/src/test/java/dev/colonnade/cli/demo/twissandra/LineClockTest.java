package dev.colonnade.cli.demo.twissandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LineClockTest {

  private static final Instant MOMENT = Instant.ofEpochSecond(1_273_654_800);
  private static final long MICROS = 1_273_654_800_000_000L;

  @Test
  void aMomentIsItsMicroseconds() {
    assertEquals(MICROS, new LineClock().next(MOMENT));
  }

  @Test
  void theSameMomentTakesTheNextMicrosecond() {
    LineClock clock = new LineClock();
    assertEquals(MICROS, clock.next(MOMENT));
    assertEquals(MICROS + 1, clock.next(MOMENT));
    assertEquals(MICROS + 2, clock.next(MOMENT.minusSeconds(1)));
  }

  @Test
  void writersNeverTakeTheSameMicrosecond() {
    Set<Long> taken = new HashSet<>();
    for (int writer = 0; writer < 3; writer++) {
      LineClock clock = new LineClock(writer, 3);
      for (int i = 0; i < 100; i++) {
        long name = clock.next(MOMENT);
        assertTrue(name >= MICROS, () -> name + " is before its moment");
        assertTrue(taken.add(name), () -> name + " was taken twice");
      }
    }
  }

  @Test
  void aWriterIsOneOfThem() {
    assertThrows(IllegalArgumentException.class, () -> new LineClock(3, 3));
    assertThrows(IllegalArgumentException.class, () -> new LineClock(-1, 3));
  }
}
