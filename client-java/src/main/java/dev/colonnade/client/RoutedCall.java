package dev.colonnade.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call that goes to a node of the pool, and to another one if that is of use. Each attempt has
 * what is left of the deadline of the call.
 */
final class RoutedCall<R> implements Call<R> {

  private final Retries retries;
  private final Executor executor;
  private final Transport.Request<?, R> request;
  private final Function<NodeConnection, Call<R>> onNode;

  /**
   * A call that was not made yet.
   *
   * @param executor makes the call again after a pause
   * @param onNode the call on one node
   */
  RoutedCall(
      Retries retries,
      Executor executor,
      Transport.Request<?, R> request,
      Function<NodeConnection, Call<R>> onNode) {
    this.retries = retries;
    this.executor = executor;
    this.request = request;
    this.onNode = onNode;
  }

  @Override
  public R execute() {
    NodeConnection node = retries.first(request);
    Retries.OfCall failures = null;
    while (true) {
      ColonnadeException failure;
      node.inFlight().incrementAndGet();
      try {
        R answer = onNode.apply(node).execute();
        retries.succeeded(node);
        return answer;
      } catch (ColonnadeException e) {
        failure = e;
      } finally {
        node.inFlight().decrementAndGet();
      }
      failures = failures == null ? retries.new OfCall() : failures;
      Retries.Next next = failures.after(request, node, failure);
      if (next == null || !pass(next.pause())) {
        throw failures.failure(failure);
      }
      node = next.node();
    }
  }

  /** Lets time pass; false if the thread was interrupted. */
  private static boolean pass(Duration pause) {
    try {
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public CompletableFuture<R> start() {
    CompletableFuture<R> result = new CompletableFuture<>();
    attempt(retries.first(request), null, result);
    return result;
  }

  private void attempt(
      NodeConnection node, Retries.@Nullable OfCall earlier, CompletableFuture<R> result) {
    if (result.isDone()) {
      return;
    }
    node.inFlight().incrementAndGet();
    CompletableFuture<R> attempt;
    try {
      attempt = onNode.apply(node).start();
    } catch (RuntimeException | Error e) {
      // As when no thread can be made: nothing else would complete the future.
      node.inFlight().decrementAndGet();
      result.completeExceptionally(e);
      return;
    }
    var unused =
        attempt.whenComplete(
            (answer, thrown) -> {
              node.inFlight().decrementAndGet();
              if (thrown == null) {
                retries.succeeded(node);
                result.complete(answer);
                return;
              }
              Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
              Retries.OfCall failures = earlier == null ? retries.new OfCall() : earlier;
              Retries.Next next =
                  cause instanceof ColonnadeException failure && !result.isDone()
                      ? failures.after(request, node, failure)
                      : null;
              if (next == null) {
                result.completeExceptionally(
                    cause instanceof ColonnadeException failure
                        ? failures.failure(failure)
                        : cause);
              } else if (next.pause().isZero()) {
                attempt(next.node(), failures, result);
              } else {
                CompletableFuture.delayedExecutor(
                        next.pause().toNanos(), TimeUnit.NANOSECONDS, executor)
                    .execute(() -> attempt(next.node(), failures, result));
              }
            });
    Transport.whenCancelled(result, () -> attempt.cancel(false));
  }
}
