package dev.colonnade.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs a sweep when the earliest of many deadlines has passed. It keeps one timer and not one for
 * each deadline: most calls have ended long before theirs. The sweep sets the alarm again for what
 * is left. Thread-safe.
 */
final class DeadlineAlarm {

  /** Deadlines are this late at most, so that many different ones do not each cause a sweep. */
  private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** No timer is set for later, so that an object is not kept for longer by it. */
  private static final long FURTHEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final long NONE = Long.MAX_VALUE;

  private final Runnable sweep;

  /** When the next sweep is due, since {@link #origin}; {@link #NONE} if none is. */
  private final AtomicLong due = new AtomicLong(NONE);

  private final long origin = System.nanoTime();

  /**
   * An alarm that is not set.
   *
   * @param sweep runs on a timer's thread and does not block
   */
  DeadlineAlarm(Runnable sweep) {
    this.sweep = sweep;
  }

  /** Has a sweep run when this deadline, on the clock of {@link System#nanoTime}, has passed. */
  void set(long deadlineNanos) {
    long now = System.nanoTime() - origin;
    long wanted =
        now + Math.max(0, Math.min(deadlineNanos - origin - now, FURTHEST_NANOS)) + GRAIN_NANOS;
    long current = due.get();
    while (wanted + GRAIN_NANOS <= current) {
      if (due.compareAndSet(current, wanted)) {
        CompletableFuture.delayedExecutor(wanted - now, TimeUnit.NANOSECONDS, Runnable::run)
            .execute(() -> ring(wanted));
        return;
      }
      current = due.get();
    }
  }

  /** A timer that an earlier one has replaced does nothing. */
  private void ring(long wanted) {
    if (due.compareAndSet(wanted, NONE)) {
      sweep.run();
    }
  }
}
