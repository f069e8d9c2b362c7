package dev.colonnade.server.memory;

/**
 * The memory of one node: how it is divided, and the two pools that everything under way shares.
 * Thread-safe.
 *
 * @param heap decoded requests, answers in the making, messages of other nodes
 * @param direct buffers of the network
 */
public record NodeMemory(MemoryPlan plan, MemoryPool heap, MemoryPool direct) {

  /** With empty pools. */
  public static NodeMemory of(MemoryPlan plan) {
    return new NodeMemory(plan, plan.newHeapPool(), plan.newDirectPool());
  }

  /** Pools that never refuse; for tests of other things. */
  public static NodeMemory unbounded() {
    return new NodeMemory(
        MemoryPlan.forHeap(1L << 30), MemoryPool.unbounded(), MemoryPool.unbounded());
  }
}
