package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The world, its faults and its checkers, tried with a store too simple to be wrong. */
final class ToyStoreTest {

  @Test
  void aRightStorePasses() throws Exception {
    int busy = 0;
    for (long seed = 0; seed < 30; seed++) {
      ToyRun run = ToyRun.of(seed);
      assertTrue(run.violations().isEmpty(), "seed " + seed + ": " + run.violations());
      busy += run.acknowledged() > 100 && run.answered() > 100 ? 1 : 0;
    }
    assertTrue(busy > 27, "only " + busy + " of 30 runs got something done");
  }

  @ParameterizedTest
  @EnumSource
  void everyFlawIsFound(ToyStore.Flaw flaw) throws Exception {
    for (long seed = 0; seed < 200; seed++) {
      if (!ToyRun.of(seed, flaw).violations().isEmpty()) {
        return;
      }
    }
    fail(flaw + " is not found in 200 runs");
  }

  @Test
  void aSeedIsOneRun() throws Exception {
    for (long seed = 100; seed < 105; seed++) {
      assertEquals(ToyRun.of(seed), ToyRun.of(seed), "seed " + seed);
    }
    assertTrue(ToyRun.of(1).hash() != ToyRun.of(2).hash());
  }
}
