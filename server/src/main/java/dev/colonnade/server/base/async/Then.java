package dev.colonnade.server.base.async;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Continuations at the end of a chain of futures. A {@link CompletableFuture} hides what its last
 * continuation throws in a future that is not referenced any more; these report it.
 *
 * <p>Thread-safe: it has no state.
 */
public final class Then {

  private Then() {}

  /** A step that may throw anything. */
  @FunctionalInterface
  public interface Step {
    /** Runs the step. */
    void run() throws Exception;
  }

  /**
   * Runs a continuation when a future is done; at once if it is. What it throws is logged.
   *
   * @param then gets the value and null, or null and the failure, as from the future itself
   */
  public static <T> void whenDone(
      CompletableFuture<T> future, BiConsumer<? super T, ? super Throwable> then) {
    Futures.ignore(
        future.whenComplete(
            (value, failure) -> {
              try {
                then.accept(value, failure);
              } catch (RuntimeException | Error e) {
                Errors.report("a follow-up of completed work failed", e);
              }
            }));
  }

  /**
   * Runs a continuation when a future is done, on behalf of a promise: what it throws fails the
   * promise.
   *
   * @param then gets the value and null, or null and the failure, as from the future itself
   */
  public static <T> void whenDone(
      CompletableFuture<T> future,
      CompletableFuture<?> promise,
      BiConsumer<? super T, ? super Throwable> then) {
    whenDone(future, (value, failure) -> onBehalfOf(promise, () -> then.accept(value, failure)));
  }

  /** Runs a step on behalf of a promise: whatever it throws fails the promise. */
  @SuppressWarnings("CatchingUnchecked") // a checked exception may be thrown without being declared
  public static void onBehalfOf(CompletableFuture<?> promise, Step step) {
    try {
      step.run();
    } catch (Exception | Error e) {
      Errors.escalate(e);
      promise.completeExceptionally(e);
    }
  }

  /** Returns the future of a call; if the call throws, a failed future. */
  public static <T> CompletableFuture<T> called(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(Errors.escalate(e));
    }
  }

  /** Completes a promise like a future. */
  public static <T> void relay(CompletableFuture<? extends T> from, CompletableFuture<T> to) {
    Futures.ignore(
        from.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(failure);
              }
            }));
  }
}
