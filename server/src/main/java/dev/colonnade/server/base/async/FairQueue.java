package dev.colonnade.server.base.async;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue that gives each flow, such as a connection, its share of the turns, however much
 * another one has queued. Within a flow the order is that of arrival.
 *
 * <p>Deficit round robin (Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit
 * Round-Robin", 1996): flows with queued tasks take turns. In its turn a flow may take tasks of up
 * to a quantum of cost; what it cannot use because its next task costs more it keeps for its next
 * turn. So a task that arrives in an empty flow waits for at most one quantum of each other flow.
 *
 * <p>For one thread at a time; the owner locks.
 *
 * @param <F> names a flow; compared by {@code equals}
 * @param <T> the type of the tasks
 */
public final class FairQueue<F, T> {

  private final long quantum;
  private final int maxPerFlow;
  private final Map<F, Flow<F, T>> flows = new HashMap<>();

  /** Flows with queued tasks, in the order of their turns. */
  private final Queue<Flow<F, T>> turns = new ArrayDeque<>();

  private int size;

  private record CostedTask<T>(long cost, T task) {}

  private static final class Flow<F, T> {
    private final F name;
    private final ArrayDeque<CostedTask<T>> tasks = new ArrayDeque<>();

    /** What the flow may still take in this turn. */
    private long credit;

    Flow(F name, long credit) {
      this.name = name;
      this.credit = credit;
    }
  }

  /**
   * Creates an empty queue.
   *
   * @param quantum cost that a flow may take in one turn, at least 1; a task that costs more counts
   *     as that much, so that each turn takes at least one task
   * @param maxPerFlow tasks that a flow may have queued, at least 1
   */
  public FairQueue(long quantum, int maxPerFlow) {
    if (quantum < 1 || maxPerFlow < 1) {
      throw new IllegalArgumentException(
          "a quantum of " + quantum + " and " + maxPerFlow + " tasks of a flow; 1 is the least");
    }
    this.quantum = quantum;
    this.maxPerFlow = maxPerFlow;
  }

  /**
   * Queues a task behind those of its flow.
   *
   * @param cost in the unit of the quantum, at least 1
   * @return false if its flow is full; nothing has changed then
   */
  public boolean offer(F flow, long cost, T task) {
    Flow<F, T> its = flows.get(flow);
    if (its == null) {
      its = new Flow<>(flow, quantum);
      flows.put(flow, its);
      turns.add(its);
    } else if (its.tasks.size() >= maxPerFlow) {
      return false;
    }
    its.tasks.add(new CostedTask<>(Math.max(1, Math.min(cost, quantum)), task));
    size++;
    return true;
  }

  /** Takes the next task; null if there is none. */
  public @Nullable T poll() {
    Flow<F, T> flow = next();
    if (flow == null) {
      return null;
    }
    CostedTask<T> taken = flow.tasks.removeFirst();
    size--;
    flow.credit -= taken.cost;
    endIfEmpty(flow);
    return taken.task;
  }

  /** Returns the task that {@link #poll} would take; null if there is none. */
  public @Nullable T peek() {
    Flow<F, T> flow = next();
    return flow == null ? null : flow.tasks.getFirst().task;
  }

  /** The flow whose first task is next. */
  private @Nullable Flow<F, T> next() {
    Flow<F, T> flow = turns.peek();
    while (flow != null && flow.tasks.getFirst().cost > flow.credit) {
      // No task costs more than a quantum, so that this ends with the next round.
      flow.credit += quantum;
      turns.remove();
      turns.add(flow);
      flow = turns.peek();
    }
    return flow;
  }

  /** Takes all tasks that are so, each flow's in their order. */
  public List<T> takeIf(Predicate<T> isSo) {
    List<T> taken = new ArrayList<>();
    for (Flow<F, T> flow : List.copyOf(turns)) {
      flow.tasks.removeIf(
          queued -> {
            boolean takes = isSo.test(queued.task);
            if (takes) {
              taken.add(queued.task);
            }
            return takes;
          });
      endIfEmpty(flow);
    }
    size -= taken.size();
    return taken;
  }

  /** Removes the task that was queued last in a flow; false if it is no longer queued. */
  public boolean takeBack(F flow, T task) {
    Flow<F, T> its = flows.get(flow);
    if (its == null || its.tasks.getLast().task != task) {
      return false;
    }
    its.tasks.removeLast();
    size--;
    endIfEmpty(its);
    return true;
  }

  /** A flow that returns begins with a full quantum, as it did the first time. */
  private void endIfEmpty(Flow<F, T> flow) {
    if (flow.tasks.isEmpty()) {
      flows.remove(flow.name);
      turns.remove(flow);
    }
  }

  /** Whether nothing is queued. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** The number of queued tasks, of all flows. */
  public int size() {
    return size;
  }
}
