package dev.colonnade.server.base.metrics;

import java.util.concurrent.atomic.LongAdder;

/** Counts events since the node was started; never goes down. */
public final class Counter implements Metric {
  private final LongAdder total = new LongAdder();

  /** A counter outside of any set, for parts that can do without. */
  public Counter() {}

  /** Counts one. */
  public void increment() {
    total.increment();
  }

  /** Counts {@code count}, at least 0. */
  public void add(long count) {
    total.add(count);
  }

  /** How many there were. */
  public long total() {
    return total.sum();
  }
}
