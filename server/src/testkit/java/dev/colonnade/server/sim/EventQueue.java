package dev.colonnade.server.sim;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * All that is to happen in a simulated world, in the order of (time, sequence). It is the only
 * source of progress: events run on the thread that calls {@link #step}, one at a time. Other
 * threads may add events.
 */
final class EventQueue {
  private final VirtualTime time;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong((Event event) -> event.dueNanos)
              .thenComparingLong(event -> event.sequence));
  private long sequence;
  private long steps;

  EventQueue(VirtualTime time) {
    this.time = time;
  }

  VirtualTime time() {
    return time;
  }

  /** Events that have run. */
  synchronized long steps() {
    return steps;
  }

  synchronized void add(Event event) {
    event.sequence = sequence++;
    events.add(event);
  }

  synchronized void close(Gate gate) {
    gate.close();
  }

  synchronized void open(Gate gate) {
    // They keep their sequence, so that what was first stays first.
    events.addAll(gate.open());
  }

  /** Runs one event that is due now; false if there is none. */
  boolean step() {
    Event event = takeDue();
    if (event == null) {
      return false;
    }
    event.run();
    return true;
  }

  /** Runs all that is due now, and what that adds. */
  void runDue() {
    while (step()) {}
  }

  /**
   * Moves time to the next event.
   *
   * @return false if there is none until then; time stands where it was
   */
  synchronized boolean moveToNext(long endNanos) {
    Event next = earliest();
    if (next == null || next.dueNanos > endNanos) {
      return false;
    }
    time.moveTo(next.dueNanos);
    return true;
  }

  /** Lets {@code duration} pass and runs what becomes due in it, in order. */
  void pass(Duration duration) {
    long end = time.nanos() + duration.toNanos();
    do {
      runDue();
    } while (moveToNext(end));
    time.moveTo(end);
  }

  private synchronized @Nullable Event takeDue() {
    Event next = earliest();
    if (next == null || next.dueNanos > time.nanos()) {
      return null;
    }
    steps++;
    return events.remove();
  }

  /** The first event that nothing holds back, which stays in the queue. */
  private @Nullable Event earliest() {
    Event first = events.peek();
    while (first != null) {
      Gate barrier = first.gate == null ? null : first.gate.barrier();
      if (barrier != null) {
        barrier.hold(first);
      } else if (!first.cancelled) {
        return first;
      }
      events.remove();
      first = events.peek();
    }
    return null;
  }
}
