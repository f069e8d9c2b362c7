package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes calls at their deadline, even if the store is blocked. The work itself continues.
 * Thread-safe.
 */
public final class Deadlines {

  private static final Logger LOG = LoggerFactory.getLogger(Deadlines.class);

  private final Clock clock;
  private final Scheduler scheduler;
  private volatile Duration timeout;

  /**
   * Creates it.
   *
   * @param timeout of a request whose caller has no deadline
   */
  public Deadlines(Clock clock, Scheduler scheduler, Duration timeout) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.timeout = timeout;
  }

  /** Changes the timeout of requests that begin from now on, whose caller has no deadline. */
  public void timeout(Duration changed) {
    timeout = changed;
  }

  /** When a request that begins now ends, if its caller has no deadline. */
  public long ofOwn() {
    return clock.monotonicNanos() + timeout.toNanos();
  }

  /** Whether the deadline has passed. */
  public boolean isOver(long deadlineNanos) {
    return deadlineNanos != Long.MAX_VALUE && deadlineNanos - clock.monotonicNanos() <= 0;
  }

  /**
   * Fails {@code answer} at the deadline if it is not complete by then. An answer that is already
   * complete, as most are, costs nothing.
   *
   * @param deadlineNanos by the monotonic clock; {@link Long#MAX_VALUE} for none
   * @return {@code answer}
   */
  public <T> CompletableFuture<T> limit(
      CompletableFuture<T> answer, Consistency consistency, long deadlineNanos) {
    if (deadlineNanos == Long.MAX_VALUE || answer.isDone()) {
      return answer;
    }
    Scheduler.Cancellable timer;
    try {
      timer =
          scheduler.after(
              Duration.ofNanos(Math.max(0, deadlineNanos - clock.monotonicNanos())),
              Stage.TIMER,
              () -> answer.completeExceptionally(tooLate(consistency)));
    } catch (RejectedExecutionException tooMany) {
      LOG.debug("too many timers; only the caller's own deadline applies", tooMany);
      return answer;
    }
    Then.whenDone(answer, (value, failure) -> timer.cancel());
    return answer;
  }

  /**
   * The deadline for replicas: a little before the caller's, but never cutting more than a tenth of
   * the time left, so that the caller learns how many answered. Without a caller's deadline, the
   * timeout.
   */
  public long ofReplicas(long deadlineNanos, CoordinatorSettings settings) {
    if (deadlineNanos == Long.MAX_VALUE) {
      return ofOwn();
    }
    long left = deadlineNanos - clock.monotonicNanos();
    return deadlineNanos - Math.min(settings.answerMargin().toNanos(), Math.max(0, left / 10));
  }

  public static CoordinationException tooLate(Consistency consistency) {
    return new CoordinationException.ReplicaTimeout(consistency, 1, 0);
  }
}
