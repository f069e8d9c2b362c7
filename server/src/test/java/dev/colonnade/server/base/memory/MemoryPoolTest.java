package dev.colonnade.server.base.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class MemoryPoolTest {

  private static final MemoryUse USE = MemoryUse.REQUESTS;

  private final MemoryPool pool = new MemoryPool(1_000, 10);

  @Test
  void oneGreedyShareGetsHalf() {
    assertEquals(500, fill(pool.share(1), 1));
    assertEquals(500, pool.usedBytes());
    assertEquals(500, pool.largestBytes(1));
  }

  @Test
  void manyGreedySharesLeaveAsMuchAsEachOfThemHas() {
    List<MemoryPool.PoolShare> shares = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      shares.add(pool.share(1));
    }
    boolean moved = true;
    while (moved) {
      moved = false;
      for (MemoryPool.PoolShare share : shares) {
        moved |= share.reserve(USE, 1);
      }
    }
    long free = pool.capacityBytes() - pool.usedBytes();
    for (MemoryPool.PoolShare share : shares) {
      assertTrue(Math.abs(share.usedBytes() - free) <= 10, share.usedBytes() + ", free " + free);
    }
    assertTrue(free >= 90, "free " + free);
  }

  @Test
  void aHeavyShareGetsMore() {
    assertEquals(800, fill(pool.share(4), 1));
    assertEquals(800, pool.largestBytes(4));
  }

  @Test
  void aShareThatHasLittleIsServedWhileOthersHaveMuch() {
    fill(pool.share(4), 1);
    MemoryPool.PoolShare small = pool.share(1);
    assertTrue(small.reserve(USE, 100));
    assertFalse(small.reserve(USE, 100), "two hundred are taken of two hundred");
  }

  @Test
  void whatIsGuaranteedIsGrantedAsLongAsThereIsRoom() {
    MemoryPool.PoolShare full = pool.share(1_000);
    full.take(USE, 995);
    assertTrue(pool.share(1).reserve(USE, 5));
    assertFalse(pool.share(1).reserve(USE, 1));
  }

  @Test
  void whatIsGivenBackCanBeTakenAgain() {
    MemoryPool.PoolShare share = pool.share(1);
    assertTrue(share.reserve(USE, 400));
    share.release(USE, 400);
    assertEquals(0, pool.usedBytes());
    assertEquals(0, share.usedBytes());
    assertEquals(0, pool.usedBytes(USE));
    assertTrue(share.reserve(USE, 400));
  }

  @Test
  void aRefusalHoldsNothingAndIsCountedByItsUse() {
    MemoryPool.PoolShare share = pool.share(1);
    assertFalse(share.reserve(MemoryUse.ANSWERS, 501));
    assertEquals(0, pool.usedBytes());
    assertEquals(0, pool.usedBytes(MemoryUse.ANSWERS));
    assertEquals(1, pool.refusals(MemoryUse.ANSWERS));
    assertEquals(0, pool.refusals(USE));
  }

  @Test
  void whatWasTakenUnaskedCountsAgainstWhatIsAskedFor() {
    pool.share(1).take(USE, 2_000);
    assertFalse(pool.share(1).reserve(USE, 1));
  }

  @Test
  void threadsNeverGetMoreThanThereIs() throws InterruptedException {
    int seed = 7;
    AtomicLong granted = new AtomicLong();
    AtomicLong most = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      MemoryPool.PoolShare share = pool.share(4);
      Random random = new Random(seed + i);
      Thread thread =
          new Thread(
              () -> {
                int held = 0;
                for (int round = 0; round < 20_000; round++) {
                  int bytes = 1 + random.nextInt(300);
                  if (share.reserve(USE, bytes)) {
                    most.accumulateAndGet(granted.addAndGet(bytes), Math::max);
                    held += bytes;
                  }
                  if (random.nextBoolean()) {
                    granted.addAndGet(-held);
                    share.release(USE, held);
                    held = 0;
                  }
                }
                granted.addAndGet(-held);
                share.release(USE, held);
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertTrue(most.get() <= 1_000, "granted " + most + " of 1000");
    assertTrue(most.get() > 300, "only " + most + " were ever granted");
    assertEquals(0, pool.usedBytes());
    assertEquals(0, pool.usedBytes(USE));
  }

  private static long fill(MemoryPool.PoolShare share, long step) {
    long bytes = 0;
    while (share.reserve(USE, step)) {
      bytes += step;
    }
    return bytes;
  }
}
