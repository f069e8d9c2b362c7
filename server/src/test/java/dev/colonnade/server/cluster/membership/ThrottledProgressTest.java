package dev.colonnade.server.cluster.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.sim.SimClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThrottledProgressTest {

  @Test
  void theFirstStepOfEachPhasePassesAndThenOneInEachPeriod() {
    SimClock clock = new SimClock();
    List<String> passed = new ArrayList<>();
    ThrottledProgress throttled =
        new ThrottledProgress(clock, Duration.ofSeconds(1), step -> passed.add(step.text()));

    throttled.accept(new MembershipProgress("waiting", 0, 0, ""));
    for (int rows = 0; rows < 30; rows++) {
      throttled.accept(new MembershipProgress("moving rows", rows / 10, 3, rows + " rows of K.F"));
      clock.advance(Duration.ofMillis(100));
    }

    assertEquals(
        List.of(
            "waiting",
            "moving rows, 0 of 3 transfers done, 0 rows of K.F",
            "moving rows, 1 of 3 transfers done, 10 rows of K.F",
            "moving rows, 2 of 3 transfers done, 20 rows of K.F"),
        passed);
  }
}
