package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hedge timer: notices calls that take longer than expected. Few calls do, so one timer checks
 * all of them periodically instead of one timer each.
 *
 * <p>Thread-safe. Holds the calls of the last moments; its callers bound their number.
 */
public final class SpeculativeRetry {

  private static final Logger LOG = LoggerFactory.getLogger(SpeculativeRetry.class);

  /**
   * A watched call.
   *
   * @param isOver whether the call has ended
   * @param late what to run when it is late
   */
  private record WatchedCall(long dueNanos, BooleanSupplier isOver, Runnable late) {}

  private final Clock clock;
  private final Scheduler scheduler;
  private final Duration period;
  private final ConcurrentLinkedQueue<WatchedCall> watched = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();

  /**
   * Starts with no calls.
   *
   * @param period how often calls are checked, and so the longest delay in noticing a late one
   */
  public SpeculativeRetry(Clock clock, Scheduler scheduler, Duration period) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.period = period;
  }

  /** Runs {@code late} once, on the timer stage, unless the call has ended by then. */
  public void watch(long dueNanos, BooleanSupplier isOver, Runnable late) {
    watched.add(new WatchedCall(dueNanos, isOver, late));
    arm();
  }

  private void arm() {
    if (!armed.compareAndSet(false, true)) {
      return;
    }
    try {
      scheduler.after(period, Stage.TIMER, this::look);
    } catch (RejectedExecutionException tooMany) {
      armed.set(false);
      LOG.debug("too many timers; this read waits for slow replicas", tooMany);
    }
  }

  private void look() {
    List<WatchedCall> due = new ArrayList<>();
    try {
      collect(due);
    } finally {
      armed.set(false);
      if (!watched.isEmpty()) {
        arm();
      }
    }
    for (WatchedCall one : due) {
      try {
        one.late().run();
      } catch (RuntimeException | Error e) {
        Errors.report("could not ask a spare replica in place of a slow one", e);
      }
    }
  }

  private void collect(List<WatchedCall> due) {
    long now = clock.monotonicNanos();
    watched.removeIf(
        one -> {
          if (one.isOver().getAsBoolean()) {
            return true;
          }
          if (one.dueNanos() - now > 0) {
            return false;
          }
          due.add(one);
          return true;
        });
  }
}
