package dev.colonnade.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a long answer while it arrives, without a thread that waits. The call begins when the first
 * part is requested, and then at most one part is fetched ahead of the reader: a reader that does
 * not ask makes the node wait. After a broken connection the reading continues where it stopped.
 * Close it: that ends the call on the node, even before its end.
 *
 * <p>For one reader, which requests a part when the previous one has arrived; {@link #close} may
 * come from any thread. Dependent actions of the futures run on a thread of the client's, unless
 * they name an executor, and should not block.
 *
 * <pre>{@code
 * ColumnFamily<String, Long, String> timeline =
 *     client
 *         .keyspace("Blog")
 *         .columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
 * timeline.insertAll("bob", Map.of(1L, "first", 2L, "second"));
 * try (AsyncCursor<Column<Long, String>> tweets = timeline.async().stream("bob", Slice.all())) {
 *   CompletableFuture<?> end = tweets.forEach(tweet -> System.out.println(tweet.value()));
 *   // prints first
 *   // prints second
 *   end.join();
 * }
 * }</pre>
 */
public final class AsyncCursor<T> implements AutoCloseable {

  private final Supplier<CompletableFuture<@Nullable List<T>>> parts;
  private final Runnable onClose;
  private volatile boolean ended;

  /**
   * A cursor over parts.
   *
   * @param parts the next part, possibly empty, or null at the end
   */
  AsyncCursor(Supplier<CompletableFuture<@Nullable List<T>>> parts, Runnable onClose) {
    this.parts = parts;
    this.onClose = onClose;
  }

  /**
   * The next elements, at least one; none at the end, after a failure, and after closing. The
   * future fails with {@link ColonnadeException}, which ends the reading, as cancelling it does; it
   * waits at most for the deadline of the {@link CallOptions}.
   *
   * @throws IllegalStateException if the previous part has not arrived yet
   */
  public CompletableFuture<List<T>> next() {
    CompletableFuture<List<T>> part = new CompletableFuture<>();
    if (ended) {
      part.complete(List.of());
      return part;
    }
    repeat(parts, elements -> deliver(part, elements), part);
    Transport.whenCancelled(part, this::close);
    return part;
  }

  /**
   * Passes all remaining elements to a consumer, one after the other, on a thread of the client's,
   * and then closes this. Fails with what the consumer throws.
   */
  public CompletableFuture<@Nullable Void> forEach(Consumer<? super T> consumer) {
    CompletableFuture<@Nullable Void> all = new CompletableFuture<>();
    repeat(
        this::next,
        elements -> {
          elements.forEach(consumer);
          if (elements.isEmpty()) {
            close();
            all.complete(null);
          }
          return !elements.isEmpty() && !all.isDone();
        },
        all);
    Transport.whenCancelled(all, this::close);
    return all;
  }

  /** Ends the call if it still runs. */
  @Override
  public void close() {
    if (!ended) {
      ended = true;
      onClose.run();
    }
  }

  /** Whether to continue, because a part is empty. */
  private boolean deliver(CompletableFuture<List<T>> part, @Nullable List<T> elements) {
    if (elements == null) {
      close();
      part.complete(List.of());
      return false;
    }
    if (elements.isEmpty()) {
      return !part.isDone();
    }
    part.complete(elements);
    return false;
  }

  /**
   * Requests parts while {@code step} says so. A loop, not a recursion, where answers have arrived
   * already, so that the stack does not grow with the answer.
   */
  private <A extends @Nullable Object> void repeat(
      Supplier<CompletableFuture<A>> ask, Function<A, Boolean> step, CompletableFuture<?> outcome) {
    boolean more = true;
    while (more) {
      CompletableFuture<A> asked = ask.get();
      if (!asked.isDone()) {
        var unused =
            asked.whenComplete(
                (answer, failure) -> {
                  if (taken(asked, step, outcome)) {
                    repeat(ask, step, outcome);
                  }
                });
        return;
      }
      more = taken(asked, step, outcome);
    }
  }

  /** Processes an answer that has arrived; returns whether another request follows. */
  private <A extends @Nullable Object> boolean taken(
      CompletableFuture<A> asked, Function<A, Boolean> step, CompletableFuture<?> outcome) {
    try {
      return step.apply(asked.join());
    } catch (CompletionException e) {
      return failed(outcome, e.getCause() == null ? e : e.getCause());
    } catch (RuntimeException e) {
      return failed(outcome, e);
    }
  }

  private boolean failed(CompletableFuture<?> outcome, Throwable failure) {
    close();
    outcome.completeExceptionally(failure);
    return false;
  }
}
