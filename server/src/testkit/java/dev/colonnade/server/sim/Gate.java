package dev.colonnade.server.sim;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds events back while it is closed: a stage that is at work, a node that is paused. Guarded by
 * its {@link EventQueue}.
 */
final class Gate {
  private final @Nullable Gate outer;
  private final List<Event> held = new ArrayList<>();
  private int closed;

  /** A gate that is open only if {@code outer} is, too. */
  Gate(@Nullable Gate outer) {
    this.outer = outer;
  }

  /** The innermost closed gate on the way; null if it is free. */
  @Nullable Gate barrier() {
    for (Gate gate = this; gate != null; gate = gate.outer) {
      if (gate.closed > 0) {
        return gate;
      }
    }
    return null;
  }

  boolean isClosed() {
    return closed > 0;
  }

  void hold(Event event) {
    held.add(event);
  }

  void close() {
    closed++;
  }

  /** Opens it once more; gives the events that can go on, none while it is closed otherwise. */
  List<Event> open() {
    closed--;
    if (closed > 0 || held.isEmpty()) {
      return List.of();
    }
    List<Event> released = List.copyOf(held);
    held.clear();
    return released;
  }
}
