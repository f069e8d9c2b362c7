package dev.colonnade.client;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many extra calls a client may make: it begins with a reserve, each extra call takes one from
 * it, and every few calls that succeed give one back. So a cluster that is slow or fails for all
 * its callers does not get several times their calls. Thread-safe.
 */
final class Budget {

  private final int callsPerExtra;
  private final int full;
  private final AtomicInteger left;

  /**
   * A budget with its whole reserve.
   *
   * @param reserve the most extra calls in a row
   * @param callsPerExtra how many calls that succeed give one back
   */
  Budget(int reserve, int callsPerExtra) {
    this.callsPerExtra = callsPerExtra;
    this.full = reserve * callsPerExtra;
    this.left = new AtomicInteger(full);
  }

  /** A call has succeeded. */
  void earn() {
    int before = left.get();
    if (before < full) {
      // If another thread comes between, this success does not count, which harms nothing.
      boolean unused = left.compareAndSet(before, before + 1);
    }
  }

  /** Takes one extra call; false if there is none left. */
  boolean take() {
    int before = left.get();
    while (before >= callsPerExtra) {
      if (left.compareAndSet(before, before - callsPerExtra)) {
        return true;
      }
      before = left.get();
    }
    return false;
  }
}
