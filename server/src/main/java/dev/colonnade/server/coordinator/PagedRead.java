package dev.colonnade.server.coordinator;

import dev.colonnade.server.async.Then;
import dev.colonnade.server.env.Clock;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Work that the store does in turns, each beginning where the last one ended. Turns that are done
 * at once are taken in a loop, so that their number does not deepen the stack.
 *
 * <p>One turn runs at a time; which thread runs it changes.
 *
 * @param <T> what a turn gives
 * @param <A> the answer
 */
abstract class PagedRead<T, A> {

  private final Clock clock;
  private final Consistency consistency;
  private final int required;
  private final long deadlineNanos;
  private final CompletableFuture<A> answer = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<T> current;

  /** Turns of this node's own store. */
  PagedRead(Clock clock, Consistency consistency, long deadlineNanos) {
    this(clock, consistency, 1, deadlineNanos);
  }

  /** Turns of which each wants so many replicas. */
  PagedRead(Clock clock, Consistency consistency, int required, long deadlineNanos) {
    this.clock = clock;
    this.consistency = consistency;
    this.required = required;
    this.deadlineNanos = deadlineNanos;
  }

  CompletableFuture<A> answer() {
    return answer;
  }

  /** Starts the next turn. */
  abstract CompletableFuture<T> turn();

  /** Takes in a turn; the answer if that was the last one, else null. */
  abstract @Nullable A take(T turn);

  /**
   * Runs until the answer is there, or nobody wants it any more: cancelling it calls off the turn
   * that is under way.
   */
  void begin() {
    while (!answer.isDone()) {
      if (deadlineNanos != Long.MAX_VALUE && clock.monotonicNanos() - deadlineNanos > 0) {
        answer.completeExceptionally(
            new CoordinationException.ReplicaTimeout(consistency, required, 0));
        return;
      }
      CompletableFuture<T> turn = turn();
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

  /** Nobody but the answer hears of what is thrown here. */
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
      // An error too, such as a comparator of the user's may bring.
      answer.completeExceptionally(bug);
      return true;
    }
    return result != null && answer.complete(result);
  }
}
