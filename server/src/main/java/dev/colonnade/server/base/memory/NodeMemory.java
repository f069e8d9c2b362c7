package dev.colonnade.server.base.memory;

/**
 * The memory of one node: how it is divided, and the pools that all requests under way share.
 * Thread-safe.
 *
 * @param heap decoded requests, answers being assembled, messages of other nodes
 * @param direct buffers of the network
 * @param administration heap and buffers of administrative calls while the others are short, so
 *     that an overloaded node still answers its operator
 */
public record NodeMemory(
    MemoryPlan plan, MemoryPool heap, MemoryPool direct, MemoryPool administration) {

  /** Creates empty pools. */
  public static NodeMemory of(MemoryPlan plan) {
    return of(plan, plan.newHeapPool(), plan.newDirectPool());
  }

  /** Uses these pools for clients and other nodes. */
  public static NodeMemory of(MemoryPlan plan, MemoryPool heap, MemoryPool direct) {
    return new NodeMemory(plan, heap, direct, plan.newAdministrationPool());
  }

  /** Creates pools that never refuse; for tests of other things. */
  public static NodeMemory unbounded() {
    return of(MemoryPlan.forHeap(1L << 30), MemoryPool.unbounded(), MemoryPool.unbounded());
  }

  /** Whether so much is held that a call may soon be refused. */
  public boolean isShort() {
    return heap.usedBytes() > heap.capacityBytes() / 4
        || direct.usedBytes() > direct.capacityBytes() / 4;
  }
}
