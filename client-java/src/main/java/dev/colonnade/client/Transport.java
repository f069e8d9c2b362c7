package dev.colonnade.client;

import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls with one answer, or with pages of it, as futures that fail with {@link ColonnadeException}
 * and whose cancellation ends the call. Thread-safe.
 */
final class Transport {

  private final Channel channel;

  Transport(Channel channel) {
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  /**
   * One request, one answer.
   *
   * @param ifUnstated what became of the call if it fails and no node says it
   */
  <Q, R> CompletableFuture<R> call(
      MethodDescriptor<Q, R> method, Q request, Deadline deadline, Applied ifUnstated) {
    ClientCall<Q, R> call =
        channel.newCall(
            method,
            io.grpc.CallOptions.DEFAULT
                .withDeadline(deadline)
                .withOption(ListenedCalls.IF_UNSTATED, ifUnstated));
    CompletableFuture<R> future = new CompletableFuture<>();
    ClientCalls.asyncUnaryCall(call, request, new Answer<>(future, ifUnstated));
    whenCancelled(future, () -> call.cancel("the caller gave up", null));
    return future;
  }

  /**
   * A read whose answer comes in pages.
   *
   * @param next takes a page, and makes the request for the one after it, or null at the end
   */
  <Q, R> CompletableFuture<@Nullable Void> pages(
      MethodDescriptor<Q, R> method, Q first, Deadline deadline, Function<R, @Nullable Q> next) {
    CompletableFuture<@Nullable Void> all = new CompletableFuture<>();
    page(all, method, first, deadline, next);
    return all;
  }

  private <Q, R> void page(
      CompletableFuture<@Nullable Void> all,
      MethodDescriptor<Q, R> method,
      Q request,
      Deadline deadline,
      Function<R, @Nullable Q> next) {
    CompletableFuture<R> page = call(method, request, deadline, Applied.NO);
    whenCancelled(all, () -> page.cancel(false));
    var unused =
        page.whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                all.completeExceptionally(failure);
                return;
              }
              try {
                Q following = next.apply(answer);
                if (following == null) {
                  all.complete(null);
                } else if (!all.isDone()) {
                  page(all, method, following, deadline, next);
                }
              } catch (RuntimeException e) {
                all.completeExceptionally(e);
              }
            });
  }

  /** A future of what is made of another's result; failures pass as they are. */
  static <A extends @Nullable Object, B extends @Nullable Object> CompletableFuture<B> map(
      CompletableFuture<A> source, Function<A, B> function) {
    CompletableFuture<B> mapped = new CompletableFuture<>();
    var unused =
        source.whenComplete(
            (value, failure) -> {
              if (failure != null) {
                mapped.completeExceptionally(failure);
                return;
              }
              try {
                mapped.complete(function.apply(value));
              } catch (RuntimeException e) {
                mapped.completeExceptionally(e);
              }
            });
    whenCancelled(mapped, () -> source.cancel(false));
    return mapped;
  }

  /** Waits; the exception that comes out has the stack of the caller. */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(false);
      Thread.currentThread().interrupt();
      throw Errors.translate(
          Status.CANCELLED
              .withDescription("the thread that waited for the answer was interrupted")
              .withCause(e)
              .asRuntimeException(),
          Applied.UNKNOWN);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        failure.fillInStackTrace();
        throw failure;
      }
      throw new IllegalStateException(e);
    }
  }

  static void whenCancelled(CompletableFuture<?> future, Runnable action) {
    var unused =
        future.whenComplete(
            (value, failure) -> {
              if (future.isCancelled()) {
                action.run();
              }
            });
  }

  /** Completes a future with the one answer of a call. */
  private static final class Answer<R> implements StreamObserver<R> {

    private final CompletableFuture<R> future;
    private final Applied ifUnstated;
    private @Nullable R value;

    Answer(CompletableFuture<R> future, Applied ifUnstated) {
      this.future = future;
      this.ifUnstated = ifUnstated;
    }

    @Override
    public void onNext(R answer) {
      value = answer;
    }

    @Override
    public void onError(Throwable thrown) {
      future.completeExceptionally(Errors.translate(thrown, ifUnstated));
    }

    @Override
    public void onCompleted() {
      if (value == null) {
        onError(Status.INTERNAL.withDescription("the answer has no message").asException());
      } else {
        future.complete(value);
      }
    }
  }
}
