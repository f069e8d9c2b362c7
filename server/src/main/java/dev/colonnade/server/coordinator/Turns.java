package dev.colonnade.server.coordinator;

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
abstract class Turns<T, A> {

  private final Clock clock;
  private final Consistency consistency;
  private final long deadlineNanos;
  private final CompletableFuture<A> answer = new CompletableFuture<>();

  Turns(Clock clock, Consistency consistency, long deadlineNanos) {
    this.clock = clock;
    this.consistency = consistency;
    this.deadlineNanos = deadlineNanos;
  }

  CompletableFuture<A> answer() {
    return answer;
  }

  /** Starts the next turn. */
  abstract CompletableFuture<T> turn();

  /** Takes in a turn; the answer if that was the last one, else null. */
  abstract @Nullable A take(T turn);

  /** Runs until the answer is there. */
  void begin() {
    while (true) {
      if (deadlineNanos != Long.MAX_VALUE && clock.monotonicNanos() - deadlineNanos > 0) {
        answer.completeExceptionally(new CoordinationException.ReplicaTimeout(consistency, 1, 0));
        return;
      }
      CompletableFuture<T> turn = turn();
      if (!turn.isDone() || turn.isCompletedExceptionally()) {
        var unused = turn.whenComplete(this::taken);
        return;
      }
      T done = turn.getNow(null);
      if (finished(done)) {
        return;
      }
    }
  }

  private void taken(@Nullable T turn, @Nullable Throwable failure) {
    if (failure != null) {
      answer.completeExceptionally(StorageFailures.translate(failure));
    } else if (turn != null && !finished(turn)) {
      begin();
    }
  }

  private boolean finished(T turn) {
    A result;
    try {
      result = take(turn);
    } catch (RuntimeException bug) {
      answer.completeExceptionally(bug);
      return true;
    }
    return result != null && answer.complete(result);
  }
}
