package dev.colonnade.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call that is ready to be made, once: by a thread that waits for it, or as a future. Blocking
 * methods execute calls instead of waiting for futures, so that the waiting thread itself reads the
 * answer and no other thread has to be woken for it.
 */
interface Call<T extends @Nullable Object> {

  /**
   * Makes the call and waits for its answer.
   *
   * @throws ColonnadeException with the stack of the caller
   */
  T execute();

  /** Makes the call; cancelling the future ends it. Fails with {@link ColonnadeException}. */
  CompletableFuture<T> start();

  /** The same call with another result, made of the answer by the thread that receives it. */
  default <U extends @Nullable Object> Call<U> map(Function<T, U> function) {
    Call<T> source = this;
    return new Call<>() {
      @Override
      public U execute() {
        return function.apply(source.execute());
      }

      @Override
      public CompletableFuture<U> start() {
        return Transport.map(source.start(), function);
      }
    };
  }
}
