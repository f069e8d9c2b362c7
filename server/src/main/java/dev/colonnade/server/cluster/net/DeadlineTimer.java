package dev.colonnade.server.cluster.net;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One timer for any number of deadlines. It fires at the earliest of them and is not armed while
 * there is none. Thread-safe.
 */
final class DeadlineTimer {

  /** Checks all deadlines. */
  @FunctionalInterface
  interface Sweep {
    /**
     * Ends everything that is due.
     *
     * @return the earliest remaining deadline; MAX_VALUE if there is none
     */
    long run(long nowNanos);
  }

  private static final Logger LOG = LoggerFactory.getLogger(DeadlineTimer.class);

  private final Clock clock;
  private final Scheduler scheduler;
  private final long granularityNanos;
  private final Sweep sweep;
  private final Object lock = new Object();
  private volatile long dueNanos = Long.MAX_VALUE;
  private Scheduler.@Nullable Cancellable armed;
  private long generation;

  DeadlineTimer(Clock clock, Scheduler scheduler, Duration granularity, Sweep sweep) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.granularityNanos = granularity.toNanos();
    this.sweep = sweep;
  }

  /**
   * Ensures that a sweep runs soon after {@code deadlineNanos}. Whatever has that deadline must
   * already be where the sweep finds it.
   */
  void cover(long deadlineNanos) {
    if (deadlineNanos == Long.MAX_VALUE || dueNanos - granularityNanos <= deadlineNanos) {
      return;
    }
    synchronized (lock) {
      if (dueNanos - granularityNanos <= deadlineNanos) {
        return;
      }
      if (armed != null) {
        armed.cancel();
      }
      arm(deadlineNanos);
    }
  }

  private void arm(long deadlineNanos) {
    long now = clock.monotonicNanos();
    // Rounded up, so that deadlines close to each other share a sweep.
    long due = Math.max(now, deadlineNanos) + granularityNanos;
    long mine = ++generation;
    try {
      armed = scheduler.after(Duration.ofNanos(due - now), Stage.TIMER, () -> fire(mine));
      dueNanos = due;
    } catch (RejectedExecutionException tooMany) {
      // The next request tries again; until then the callers keep their own deadlines.
      LOG.warn(
          "too many timers; deadlines of requests between nodes will be noticed late", tooMany);
      armed = null;
      dueNanos = Long.MAX_VALUE;
    }
  }

  private void fire(long mine) {
    synchronized (lock) {
      if (mine != generation) {
        return;
      }
      armed = null;
      // Reset before the sweep: deadlines that are added during the sweep arm the timer themselves.
      dueNanos = Long.MAX_VALUE;
    }
    long next = clock.monotonicNanos() + granularityNanos;
    try {
      next = sweep.run(clock.monotonicNanos());
    } finally {
      // An exception in a sweep must not end all deadlines.
      cover(next);
    }
  }
}
