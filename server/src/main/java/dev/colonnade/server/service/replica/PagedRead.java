package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.StorageFailures;
import dev.colonnade.server.storage.engine.ReadMode;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs a long read in bounded turns, each beginning where the previous one ended, so that other
 * work can run in between.
 *
 * <ul>
 *   <li>One turn runs at a time; which thread runs it changes.
 *   <li>Turns that complete immediately are taken in a loop, so that the stack does not grow with
 *       their number.
 *   <li>The deadline is checked before each turn.
 * </ul>
 *
 * @param <T> the result of a turn
 * @param <A> the answer
 */
public abstract class PagedRead<T, A> {

  private final Clock clock;
  private final Consistency consistency;
  private final int required;
  private final long deadlineNanos;
  private final CompletableFuture<A> answer = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<T> current;

  /** Whether a turn was begun. */
  private boolean begun;

  /** Turns that read this node's own store. */
  public PagedRead(Clock clock, Consistency consistency, long deadlineNanos) {
    this(clock, consistency, 1, deadlineNanos);
  }

  /** Turns that each need answers of {@code required} replicas. */
  public PagedRead(Clock clock, Consistency consistency, int required, long deadlineNanos) {
    this.clock = clock;
    this.consistency = consistency;
    this.required = required;
    this.deadlineNanos = deadlineNanos;
  }

  public CompletableFuture<A> answer() {
    return answer;
  }

  /**
   * How the next turn reads this node's store: the first one may be answered on the caller's
   * thread; a run of tombstones or a long count is crossed off it.
   */
  public final ReadMode mode() {
    return begun ? ReadMode.OFFLOADED : ReadMode.INLINE;
  }

  /** Starts the next turn. */
  public abstract CompletableFuture<T> turn();

  /** Adds the result of a turn; returns the answer after the last turn, otherwise null. */
  public abstract @Nullable A take(T turn);

  /**
   * Runs turns until the answer is complete. Cancelling the answer cancels the turn in progress.
   */
  public void begin() {
    while (!answer.isDone()) {
      if (deadlineNanos != Long.MAX_VALUE && clock.monotonicNanos() - deadlineNanos > 0) {
        answer.completeExceptionally(
            new CoordinationException.ReplicaTimeout(consistency, required, 0));
        return;
      }
      CompletableFuture<T> turn = turn();
      begun = true;
      if (!turn.isDone() || turn.isCompletedExceptionally()) {
        follow(turn);
        return;
      }
      T done = turn.getNow(null);
      if (finished(done)) {
        return;
      }
    }
  }

  private void follow(CompletableFuture<T> turn) {
    boolean first = current == null;
    current = turn;
    if (first) {
      Then.whenDone(answer, (done, failure) -> cancel());
    } else if (answer.isDone()) {
      cancel();
    }
    Then.whenDone(turn, this::taken);
  }

  private void cancel() {
    CompletableFuture<T> turn = current;
    if (turn != null && answer.isCompletedExceptionally()) {
      turn.cancel(false);
    }
  }

  private void taken(@Nullable T turn, @Nullable Throwable failure) {
    if (failure != null) {
      answer.completeExceptionally(StorageFailures.translate(failure));
    } else if (turn != null && !finished(turn)) {
      goOn();
    }
  }

  /**
   * Continues after an asynchronous turn; an exception thrown here would be lost, so it fails the
   * answer.
   */
  private void goOn() {
    try {
      begin();
    } catch (RuntimeException | Error bug) {
      answer.completeExceptionally(bug);
    }
  }

  private boolean finished(T turn) {
    A result;
    try {
      result = take(turn);
    } catch (RuntimeException | Error bug) {
      // Errors are caught as well: a user's comparator may throw one.
      answer.completeExceptionally(bug);
      return true;
    }
    return result != null && answer.complete(result);
  }
}
