package dev.colonnade.server.memory;

/**
 * The memory of one node: how it is divided, and the pools that everything under way shares.
 * Thread-safe.
 *
 * @param heap decoded requests, answers in the making, messages of other nodes
 * @param direct buffers of the network
 * @param administration heap and buffers of administrative calls while the others are short: who
 *     looks after a node that is overloaded gets answers from it
 */
public record NodeMemory(
    MemoryPlan plan, MemoryPool heap, MemoryPool direct, MemoryPool administration) {

  /** With empty pools. */
  public static NodeMemory of(MemoryPlan plan) {
    return of(plan, plan.newHeapPool(), plan.newDirectPool());
  }

  /** With these pools of what clients and other nodes share. */
  public static NodeMemory of(MemoryPlan plan, MemoryPool heap, MemoryPool direct) {
    return new NodeMemory(plan, heap, direct, plan.newAdministrationPool());
  }

  /** Pools that never refuse; for tests of other things. */
  public static NodeMemory unbounded() {
    return of(MemoryPlan.forHeap(1L << 30), MemoryPool.unbounded(), MemoryPool.unbounded());
  }

  /** Whether so much is held that a call may soon be refused. */
  public boolean isShort() {
    return heap.usedBytes() > heap.capacityBytes() / 4
        || direct.usedBytes() > direct.capacityBytes() / 4;
  }
}
