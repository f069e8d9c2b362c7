package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.node.platform.DirectMemory;
import org.junit.jupiter.api.Test;

class DirectMemoryWatchTest {

  private static final long LIMIT = 256L << 20;

  @Test
  void aNodeThatIsNearlyOutOfDirectMemoryIsNotReadyUntilItIsBack() {
    Health health = new Health();
    long[] used = {LIMIT / 2};
    DirectMemoryWatch watch = new DirectMemoryWatch(health, () -> used[0], LIMIT);
    watch.look();
    assertEquals(Impact.NONE, health.report().impact());
    used[0] = LIMIT - 1;
    watch.look();
    assertEquals(Impact.NOT_READY, health.report().impact());
    assertEquals(
        "direct: buffers use 255 of the 256 MiB of memory outside the heap",
        health.report().whyNotReady().orElseThrow());
    used[0] = LIMIT / 2;
    watch.look();
    assertEquals(Impact.NONE, health.report().impact());
  }

  @Test
  void theProcessKnowsItsLimitAndIsBelowIt() {
    assertTrue(DirectMemory.limitBytes() > 0);
    assertTrue(DirectMemory.usedBytes() >= 0);
    assertTrue(DirectMemory.usedBytes() < DirectMemory.limitBytes());
  }
}
