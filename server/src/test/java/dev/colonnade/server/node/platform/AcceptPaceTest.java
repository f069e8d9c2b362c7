package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class AcceptPaceTest {

  private static final long WINDOW = AcceptPace.WINDOW.toNanos();

  @Test
  void aPortThatIsFullTakesSoManyInAWindowAndPausesUntilItsEnd() {
    AcceptPace pace = new AcceptPace(0);
    for (int i = 1; i < AcceptPace.PER_WINDOW; i++) {
      assertEquals(0, pace.tookWhenFull(WINDOW / 2));
    }
    assertEquals(WINDOW / 2, pace.tookWhenFull(WINDOW / 2));
    assertEquals(0, pace.tookWhenFull(WINDOW));
  }

  @Test
  void aSecondOfFloodTakesNoMoreThanTheWindowsAllow() {
    AcceptPace pace = new AcceptPace(0);
    long now = 0;
    int taken = 0;
    while (now < 100 * WINDOW) {
      taken++;
      now += 1_000 + pace.tookWhenFull(now);
    }
    assertTrue(taken <= 101 * AcceptPace.PER_WINDOW, "taken: " + taken);
  }

  @Test
  void fewConnectionsAreNotHeldUp() {
    AcceptPace pace = new AcceptPace(0);
    for (int i = 0; i < 1_000; i++) {
      assertEquals(0, pace.tookWhenFull(i * WINDOW / (AcceptPace.PER_WINDOW - 2)));
    }
  }
}
