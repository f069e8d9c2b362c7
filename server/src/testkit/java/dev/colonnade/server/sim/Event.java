package dev.colonnade.server.sim;

import org.jspecify.annotations.Nullable;

/** Something that is to happen at a time. Guarded by its {@link EventQueue}. */
abstract class Event {
  final @Nullable Gate gate;
  long dueNanos;
  long sequence;
  volatile boolean cancelled;

  /**
   * An event due then.
   *
   * @param gate what must be open when it happens; null for nothing
   */
  Event(long dueNanos, @Nullable Gate gate) {
    this.dueNanos = dueNanos;
    this.gate = gate;
  }

  abstract void run();
}
