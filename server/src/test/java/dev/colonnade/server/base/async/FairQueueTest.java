package dev.colonnade.server.base.async;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FairQueueTest {

  private static final long SEEDS = 200;

  private static List<String> drain(FairQueue<String, String> queue) {
    List<String> taken = new ArrayList<>();
    for (String task = queue.poll(); task != null; task = queue.poll()) {
      taken.add(task);
    }
    return taken;
  }

  @Test
  void aTaskBehindAFloodOfAnotherFlowWaitsForOneTurn() {
    FairQueue<String, String> queue = new FairQueue<>(1, 1_000);
    for (int i = 0; i < 900; i++) {
      queue.offer("flood", 1, "flood" + i);
    }
    queue.offer("other", 1, "other");
    List<String> taken = drain(queue);
    assertEquals(901, taken.size());
    assertTrue(taken.indexOf("other") <= 1, "taken as number " + taken.indexOf("other"));
  }

  @Test
  void flowsGetEqualCostAndNotEqualNumbers() {
    FairQueue<String, String> queue = new FairQueue<>(10, 1_000);
    for (int i = 0; i < 100; i++) {
      queue.offer("large", 10, "large");
      queue.offer("small", 1, "small");
    }
    int large = 0;
    for (int small = 0; small < 100; ) {
      if ("small".equals(queue.poll())) {
        small++;
      } else {
        large++;
      }
    }
    assertTrue(large >= 9 && large <= 11, large + " tasks of ten beside 100 of one");
  }

  @Test
  void whatIsNextIsWhatIsTaken() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      FairQueue<Integer, Integer> queue = new FairQueue<>(5, 1_000);
      for (int i = 0; i < 200; i++) {
        queue.offer(random.nextInt(4), 1 + random.nextInt(9), i);
        if (random.nextInt(3) == 0) {
          Integer next = queue.peek();
          assertEquals(next, queue.peek(), "seed " + seed);
          assertEquals(next, queue.poll(), "seed " + seed);
        }
      }
      int divisor = 2 + random.nextInt(3);
      int before = queue.size();
      int taken = queue.takeIf(task -> task % divisor == 0).size();
      assertEquals(before - taken, queue.size(), "seed " + seed);
      int rest = 0;
      for (Integer task = queue.poll(); task != null; task = queue.poll()) {
        assertTrue(task % divisor != 0, "seed " + seed);
        rest++;
      }
      assertEquals(before - taken, rest, "seed " + seed);
      assertTrue(queue.isEmpty() && queue.peek() == null, "seed " + seed);
    }
  }

  @Test
  void aFlowHasABoundOfItsOwn() {
    FairQueue<String, String> queue = new FairQueue<>(1, 2);
    assertTrue(queue.offer("a", 1, "1"));
    assertTrue(queue.offer("a", 1, "2"));
    assertFalse(queue.offer("a", 1, "3"));
    assertTrue(queue.offer("b", 1, "4"));
    assertEquals(3, queue.size());
    assertEquals("1", queue.poll());
    assertTrue(queue.offer("a", 1, "5"));
  }

  @Test
  void whatIsTakenBackDoesNotCome() {
    FairQueue<String, String> queue = new FairQueue<>(1, 10);
    queue.offer("a", 1, "1");
    queue.offer("a", 1, "2");
    assertTrue(queue.takeBack("a", "2"));
    assertFalse(queue.takeBack("a", "2"));
    assertFalse(queue.takeBack("b", "1"));
    assertEquals(List.of("1"), drain(queue));
    assertFalse(queue.takeBack("a", "1"));
    assertNull(queue.poll());
    assertTrue(queue.isEmpty());
  }

  @Test
  void aQueueWithoutTurnsIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new FairQueue<String, String>(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new FairQueue<String, String>(1, 0));
  }

  private record Queued(int flow, int number, long cost) {}

  /** Order within a flow, nothing lost, and a bound for what others take before a waiting task. */
  @Test
  void keepsItsPromisesWithAnyTasks() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      long quantum = 1L + random.nextInt(20);
      int flowsMax = 1 + random.nextInt(6);
      FairQueue<Integer, Queued> queue = new FairQueue<>(quantum, Integer.MAX_VALUE);
      Map<Integer, Integer> offered = new HashMap<>();
      Map<Integer, Integer> polled = new HashMap<>();
      // What others took since a flow has had something queued, or was served last.
      Map<Integer, Long> passedOver = new HashMap<>();
      for (int step = 0; step < 500; step++) {
        if (random.nextInt(3) > 0) {
          int flow = random.nextInt(flowsMax);
          int number = offered.merge(flow, 1, Integer::sum);
          long cost = 1L + random.nextInt((int) quantum);
          queue.offer(flow, cost, new Queued(flow, number, cost));
          passedOver.putIfAbsent(flow, 0L);
          continue;
        }
        Queued taken = queue.poll();
        if (taken == null) {
          continue;
        }
        String where = "seed " + seed + ", step " + step;
        assertEquals(polled.merge(taken.flow, 1, Integer::sum), taken.number, where);
        passedOver.replaceAll((flow, cost) -> flow == taken.flow ? 0 : cost + taken.cost);
        if (Objects.equals(offered.get(taken.flow), polled.get(taken.flow))) {
          passedOver.remove(taken.flow);
        }
        // Two turns of each other one, where the first leaves it with too little for its task.
        long bound = 2L * (flowsMax - 1) * 2 * quantum;
        passedOver.forEach((flow, cost) -> assertTrue(cost <= bound, where + ", flow " + flow));
      }
      int left = queue.size();
      for (int i = 0; i < left; i++) {
        Queued taken = Objects.requireNonNull(queue.poll());
        assertEquals(polled.merge(taken.flow, 1, Integer::sum), taken.number, "seed " + seed);
      }
      assertEquals(offered, polled, "seed " + seed);
    }
  }
}
