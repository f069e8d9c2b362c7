package dev.colonnade.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A call that goes to a node of the pool, and to another one if that is of use: after a failure
 * ({@link Retries}), or beside the first one if that does not answer in time ({@link
 * SpeculativeReads}). Each attempt has what is left of the deadline of the call.
 */
final class RoutedCall<Q, R> implements Call<R> {

  private final Retries retries;
  private final SpeculativeReads speculation;
  private final Executor executor;
  private final Transport.Request<Q, R> request;
  private final BiFunction<NodeConnection, Transport.Request<Q, R>, NodeCall<R>> onNode;

  /**
   * A call that was not made yet.
   *
   * @param executor makes the call again after a pause, and on a second node
   * @param onNode the call on one node
   */
  RoutedCall(
      Retries retries,
      SpeculativeReads speculation,
      Executor executor,
      Transport.Request<Q, R> request,
      BiFunction<NodeConnection, Transport.Request<Q, R>, NodeCall<R>> onNode) {
    this.retries = retries;
    this.speculation = speculation;
    this.executor = executor;
    this.request = request;
    this.onNode = onNode;
  }

  @Override
  public R execute() {
    NodeConnection node = retries.first(request);
    long delayNanos = speculation.delayNanos(request, node);
    Retries.OfCall failures = null;
    for (int number = 1; ; number++) {
      ColonnadeException failure;
      long startNanos = System.nanoTime();
      boolean handedOver = false;
      node.inFlight().incrementAndGet();
      try {
        Attempt<R> attempt =
            onNode.apply(node, request.at(new Transport.Turn(number, false))).begin();
        if (failures == null && delayNanos > 0 && !attempt.await(delayNanos)) {
          // From here on futures do the rest, also because two attempts can be waited for at once.
          handedOver = true;
          return Transport.await(new Course(node, startNanos).continueBeside(attempt.handOver()));
        }
        R answer = attempt.result();
        succeeded(node, startNanos);
        return answer;
      } catch (ColonnadeException e) {
        if (handedOver) {
          throw e;
        }
        failure = e;
      } finally {
        if (!handedOver) {
          node.inFlight().decrementAndGet();
        }
      }
      failures = failures == null ? retries.new OfCall() : failures;
      Retries.Next next =
          failures.mayEndWell(request, node, failure) ? failures.next(request, failure) : null;
      if (next == null || !pass(next.pause())) {
        throw failures.failure(failure);
      }
      node = next.node();
    }
  }

  private void succeeded(NodeConnection node, long startNanos) {
    retries.succeeded(node);
    speculation.answered(request, node, System.nanoTime() - startNanos);
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

  /**
   * Whether another node would refuse the call as well, so that it is of no use to wait for one.
   */
  private static boolean isOfTheRequest(ColonnadeException failure) {
    return failure instanceof InvalidRequestException || failure instanceof NotFoundException;
  }

  @Override
  public CompletableFuture<R> start() {
    NodeConnection node = retries.first(request);
    return new Course(node, System.nanoTime()).start(speculation.delayNanos(request, node));
  }

  /**
   * The attempts of a call that no thread waits for: one after another, and at most two at once.
   */
  private final class Course {

    private final CompletableFuture<R> result = new CompletableFuture<>();
    private final NodeConnection first;
    private final long firstNanos;

    // Guarded by the monitor of this object.
    private int underWay;
    private int attempts;
    private Retries.@Nullable OfCall failures;

    Course(NodeConnection first, long firstNanos) {
      this.first = first;
      this.firstNanos = firstNanos;
    }

    /** Makes the call on the first node, and on a second one after a delay; 0 for never. */
    CompletableFuture<R> start(long delayNanos) {
      attempt(first, false);
      if (delayNanos > 0 && !result.isDone()) {
        CompletableFuture<@Nullable Void> timer = new CompletableFuture<>();
        CompletableFuture<?> speculated = timer.thenRunAsync(this::speculate, executor);
        CompletableFuture<?> unused =
            timer.completeOnTimeout(null, delayNanos, TimeUnit.NANOSECONDS);
        // Ends the timer, which would keep the call in memory.
        unused = result.whenComplete((answer, failure) -> speculated.cancel(timer.cancel(false)));
      }
      return result;
    }

    /** Makes the call on a second node beside the attempt that has no answer yet. */
    CompletableFuture<R> continueBeside(CompletableFuture<R> attempt) {
      var unused = begun(false);
      follow(first, firstNanos, false, attempt);
      speculate();
      return result;
    }

    private synchronized Transport.Turn begun(boolean speculative) {
      underWay++;
      attempts++;
      return new Transport.Turn(attempts, speculative);
    }

    private void speculate() {
      synchronized (this) {
        if (underWay == 0 || failures != null || result.isDone()) {
          return;
        }
      }
      NodeConnection second = speculation.second(request, first);
      if (second != null) {
        attempt(second, true);
      }
    }

    private void attempt(NodeConnection node, boolean speculative) {
      if (result.isDone()) {
        return;
      }
      Transport.Turn turn = begun(speculative);
      long startNanos = System.nanoTime();
      node.inFlight().incrementAndGet();
      CompletableFuture<R> attempt;
      try {
        attempt = onNode.apply(node, request.at(turn)).start();
      } catch (RuntimeException | Error e) {
        // As when no thread can be made: nothing else would complete the future.
        node.inFlight().decrementAndGet();
        result.completeExceptionally(e);
        return;
      }
      follow(node, startNanos, speculative, attempt);
    }

    private void follow(
        NodeConnection node, long startNanos, boolean speculative, CompletableFuture<R> attempt) {
      CompletableFuture<?> unused =
          attempt.whenComplete(
              (answer, thrown) -> {
                node.inFlight().decrementAndGet();
                if (thrown == null) {
                  succeeded(node, startNanos);
                  if (result.complete(answer) && speculative) {
                    speculation.lost(first, System.nanoTime() - firstNanos);
                  }
                } else {
                  failed(node, thrown);
                }
              });
      // The one that is left when the other has answered, or when the caller gives up.
      unused = result.whenComplete((answer, failure) -> attempt.cancel(false));
    }

    private void failed(NodeConnection node, Throwable thrown) {
      if (result.isDone()) {
        return;
      }
      Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
      if (!(cause instanceof ColonnadeException failure)) {
        result.completeExceptionally(cause);
        return;
      }
      Retries.OfCall all;
      Retries.Next next;
      synchronized (this) {
        underWay--;
        all = failures == null ? retries.new OfCall() : failures;
        failures = all;
        boolean mayEndWell = all.mayEndWell(request, node, failure);
        if (underWay > 0 && !isOfTheRequest(failure)) {
          // The other attempt decides.
          return;
        }
        next = mayEndWell ? all.next(request, failure) : null;
      }
      if (next == null) {
        result.completeExceptionally(all.failure(failure));
      } else if (next.pause().isZero()) {
        attempt(next.node(), false);
      } else {
        CompletableFuture.delayedExecutor(next.pause().toNanos(), TimeUnit.NANOSECONDS, executor)
            .execute(() -> attempt(next.node(), false));
      }
    }
  }
}
