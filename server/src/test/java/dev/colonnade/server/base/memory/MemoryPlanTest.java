package dev.colonnade.server.base.memory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class MemoryPlanTest {

  private static final long MEBIBYTE = 1 << 20;

  @Test
  void sharesLeaveAFifthOfTheHeapToTheCollector() {
    for (long mebibytes : new long[] {256, 512, 1_024, 8_192}) {
      long heap = mebibytes * MEBIBYTE;
      MemoryPlan plan = MemoryPlan.forHeap(heap);
      long promised =
          plan.memtableBytes()
              + plan.blockCacheBytes()
              + plan.keyCacheBytes()
              + plan.rowCacheBytes()
              + plan.filterBytes()
              + plan.sharedHeapBytes()
              + 32 * MEBIBYTE;
      assertTrue(promised <= heap * 4 / 5, plan.toString());
      assertTrue(promised >= heap * 3 / 4, plan.toString());
    }
  }

  @Test
  void theSmallestHeapHasRoomForSeveralOfTheLargestValues() {
    MemoryPlan plan = MemoryPlan.forHeap(256 * MEBIBYTE);
    assertTrue(plan.newHeapPool().largestBytes(1) >= 24 * MEBIBYTE, plan.toString());
    assertTrue(plan.newDirectPool().largestBytes(1) >= 16 * MEBIBYTE, plan.toString());
  }
}
