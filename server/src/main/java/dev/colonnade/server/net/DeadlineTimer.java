package dev.colonnade.server.net;

import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One timer for any number of deadlines: due when the earliest of them is, and not armed when there
 * is none. Thread-safe.
 */
final class DeadlineTimer {

  /** Looks at all deadlines. */
  @FunctionalInterface
  interface Sweep {
    /**
     * Ends what is due.
     *
     * @return the earliest of the deadlines that are left; MAX_VALUE if there is none
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
   * Sees to it that a sweep runs soon after {@code deadlineNanos}. What has that deadline must be
   * where the sweep finds it already.
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
      // The next request tries again; until then deadlines are kept by whoever asked.
      LOG.warn("no room for the timer of deadlines between nodes; they are kept late", tooMany);
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
      // Before the sweep looks: what comes while it looks arms the timer itself.
      dueNanos = Long.MAX_VALUE;
    }
    long next = clock.monotonicNanos() + granularityNanos;
    try {
      next = sweep.run(clock.monotonicNanos());
    } finally {
      // What a sweep throws must not be the end of all deadlines.
      cover(next);
    }
  }
}
