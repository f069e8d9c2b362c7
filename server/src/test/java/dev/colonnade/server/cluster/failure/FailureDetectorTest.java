package dev.colonnade.server.cluster.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FailureDetectorTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;

  private final FailureDetector<String> detector = new FailureDetector<>(5, Duration.ofSeconds(1));

  @Test
  void aSilentNodeIsDownBetweenTenAndFifteenSeconds() {
    for (int i = 0; i <= 100; i++) {
      detector.heard("b", i * SECOND);
      assertEquals(List.of(), detector.check(i * SECOND));
    }
    long silent = 0;
    while (silent < 60 && detector.check((100 + silent) * SECOND).isEmpty()) {
      silent++;
    }
    assertTrue(silent >= 10 && silent <= 15, "down after " + silent + " s");
    assertFalse(detector.isUp("b"));
  }

  @Test
  void aGreaterThresholdTakesALongerSilenceFromTheNextCheckOn() {
    detector.heard("b", 0);
    detector.heard("c", 0);
    detector.threshold(16);
    long silent = 0;
    while (silent < 100 && detector.check(silent * SECOND).isEmpty()) {
      silent++;
      if (silent == 20) {
        assertTrue(detector.isUp("b"), "5 would have found it down");
        detector.threshold(8);
      }
    }
    assertEquals(20, silent, "the lower one finds it at once");
    assertFalse(detector.isUp("b"));
    assertThrows(IllegalArgumentException.class, () -> detector.threshold(0));
  }

  @Test
  void itIsSoForANodeThatWasHeardOnce() {
    detector.heard("b", 0);
    long silent = 0;
    while (silent < 60 && detector.check(silent * SECOND).isEmpty()) {
      silent++;
    }
    assertTrue(silent >= 10 && silent <= 15, "down after " + silent + " s");
  }

  @Test
  void jitterOfAFifthConvictsNoNodeInTenMinutes() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      FailureDetector<String> each = new FailureDetector<>(5, Duration.ofSeconds(1));
      for (int i = 0; i < 600; i++) {
        each.heard("b", i * SECOND + (long) ((random.nextDouble() * 2 - 1) * 200 * MILLI));
        assertEquals(List.of(), each.check(i * SECOND + 500 * MILLI), "seed " + seed);
      }
    }
  }

  @Test
  void halfOfTheHeartbeatsLostConvictsNoNode() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      FailureDetector<String> each = new FailureDetector<>(5, Duration.ofSeconds(1));
      for (int i = 0; i < 300; i++) {
        if (i % 8 == 0 || random.nextBoolean()) {
          each.heard("b", i * SECOND);
        }
        assertEquals(List.of(), each.check(i * SECOND), "seed " + seed);
      }
    }
  }

  @Test
  void anOutageDoesNotMakeTheNextOneLookNormal() {
    for (int i = 0; i <= 20; i++) {
      detector.heard("b", i * SECOND);
    }
    long back = 620 * SECOND;
    checkEachSecond(20, 620);
    assertTrue(detector.heard("b", back));
    assertTrue(detector.isUp("b"));
    assertTrue(detector.phi("b", back + 15 * SECOND) > 5);
  }

  @Test
  void aNodeThatSleptAccusesNoOther() {
    detector.heard("b", 0);
    detector.check(0);
    assertEquals(List.of(), detector.check(60 * SECOND));
    assertTrue(detector.isUp("b"));
    assertEquals(0, detector.phi("b", 60 * SECOND));
    checkEachSecond(60, 70);
    assertTrue(detector.isUp("b"));
    checkEachSecond(70, 76);
    assertFalse(detector.isUp("b"));
  }

  @Test
  void aNodeThatSaysGoodbyeIsDownUntilItIsHeard() {
    assertTrue(detector.heard("b", 0));
    detector.convict("b");
    assertFalse(detector.isUp("b"));
    assertEquals(List.of(), detector.check(SECOND));
    assertTrue(detector.heard("b", 2 * SECOND));
    assertFalse(detector.heard("b", 3 * SECOND));
  }

  @Test
  void whoWasNeverHeardIsNotUp() {
    assertFalse(detector.isUp("b"));
    assertEquals(Double.POSITIVE_INFINITY, detector.phi("b", 0));
    detector.convict("b");
    assertTrue(detector.heard("b", 0));
    detector.forget("b");
    assertFalse(detector.isUp("b"));
  }

  @Test
  void aThresholdIsAboveZero() {
    assertThrows(
        IllegalArgumentException.class, () -> new FailureDetector<>(0, Duration.ofSeconds(1)));
  }

  private void checkEachSecond(int first, int last) {
    for (int i = first; i <= last; i++) {
      detector.check(i * SECOND);
    }
  }
}
