package dev.colonnade.server.base.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Composes futures so that cancelling the result cancels its sources. */
public final class Futures {

  private Futures() {}

  /**
   * Lets work go on unattended, if it reports its failures itself. Whatever else may fail belongs
   * to {@link Then#whenDone(CompletableFuture, java.util.function.BiConsumer)}.
   */
  public static void ignore(Future<?> work) {
    // That nothing is done with it is the point.
  }

  /** As {@link CompletableFuture#thenApply}; cancelling the result cancels {@code source}. */
  public static <T, R> CompletableFuture<R> map(
      CompletableFuture<T> source, Function<? super T, ? extends R> map) {
    CompletableFuture<R> mapped = source.thenApply(map);
    cancelWith(mapped, source);
    return mapped;
  }

  /**
   * The source's value, or another future's if the source fails in a given way; cancelling the
   * result cancels the one in progress.
   */
  public static <T> CompletableFuture<T> instead(
      CompletableFuture<T> source,
      Predicate<Throwable> failed,
      Supplier<CompletableFuture<T>> other) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Then.whenDone(
        source,
        result,
        (value, failure) -> {
          if (failure == null) {
            result.complete(value);
          } else if (result.isDone() || !failed.test(Errors.unwrap(failure))) {
            result.completeExceptionally(failure);
          } else {
            pass(other.get(), result);
          }
        });
    cancelWith(result, source);
    return result;
  }

  private static <T> void pass(CompletableFuture<T> from, CompletableFuture<T> to) {
    Then.relay(from, to);
    cancelWith(to, from);
  }

  /** Makes cancelling {@code result} cancel {@code source}. */
  public static void cancelWith(CompletableFuture<?> result, CompletableFuture<?> source) {
    if (!result.isDone()) {
      Then.whenDone(
          result,
          (value, failure) -> {
            if (result.isCancelled()) {
              source.cancel(false);
            }
          });
    }
  }
}
