package dev.colonnade.client;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.MessageLite;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls with one answer, or with pages of it. They fail with {@link ColonnadeException}, and
 * cancelling their futures ends them. Small ones are calls of the {@link Session}, if there is one;
 * others are unary calls. Thread-safe.
 */
final class Transport {

  private final Channel channel;
  private final Sessions sessions;
  private final ListenedCalls listened;
  private final Executor executor;

  /**
   * All calls of a client.
   *
   * @param channel tells {@code listened} of its calls
   * @param executor completes the futures of the session's calls, as the channel's does for others
   */
  Transport(Channel channel, Sessions sessions, ListenedCalls listened, Executor executor) {
    this.channel = channel;
    this.sessions = sessions;
    this.listened = listened;
    this.executor = executor;
  }

  Channel channel() {
    return channel;
  }

  /**
   * A call of a method with one answer.
   *
   * @param ifUnstated what became of the call if it fails and no node says it
   */
  record Request<Q, R>(
      MethodDescriptor<Q, R> method, Q message, Deadline deadline, Applied ifUnstated) {

    Request<Q, R> with(Q other) {
      return new Request<>(method, other, deadline, ifUnstated);
    }
  }

  /** A unary call as a future. */
  <Q, R> CompletableFuture<R> call(
      MethodDescriptor<Q, R> method, Q request, Deadline deadline, Applied ifUnstated) {
    return unary(new Request<>(method, request, deadline, ifUnstated), io.grpc.CallOptions.DEFAULT);
  }

  /** A call of the session, or a unary call. */
  <Q extends MessageLite, R> Call<R> prepare(Request<Q, R> request) {
    return new Call<>() {
      @Override
      public R execute() {
        SessionMethod method = small(request);
        Session session = method == null ? null : sessions.current();
        if (method != null && session != null) {
          SessionExchange<R> exchange = new SessionExchange<>(request, method, listened, executor);
          if (exchange.execute(session)) {
            return exchange.result();
          }
        }
        // The waiting thread is woken by the network's thread, and by no other in between.
        return await(
            unary(
                request, io.grpc.CallOptions.DEFAULT.withExecutor(MoreExecutors.directExecutor())));
      }

      @Override
      public CompletableFuture<R> start() {
        SessionMethod method = small(request);
        Session session = method == null ? null : sessions.current();
        return method == null || session == null
            ? unary(request, io.grpc.CallOptions.DEFAULT)
            : new SessionExchange<>(request, method, listened, executor)
                .start(session, () -> unary(request, io.grpc.CallOptions.DEFAULT));
      }
    };
  }

  private static @Nullable SessionMethod small(Request<? extends MessageLite, ?> request) {
    SessionMethod method = SessionMethod.of(request.method());
    return method == null || request.message().getSerializedSize() > SessionMethod.MAX_REQUEST_BYTES
        ? null
        : method;
  }

  private <Q, R> CompletableFuture<R> unary(Request<Q, R> request, io.grpc.CallOptions options) {
    ClientCall<Q, R> call =
        channel.newCall(
            request.method(),
            options
                .withDeadline(request.deadline())
                .withOption(ListenedCalls.IF_UNSTATED, request.ifUnstated()));
    CompletableFuture<R> future = new CompletableFuture<>();
    ClientCalls.asyncUnaryCall(call, request.message(), new Answer<>(future, request.ifUnstated()));
    whenCancelled(future, () -> call.cancel("the caller gave up", null));
    return future;
  }

  /**
   * A read whose answer comes in pages.
   *
   * @param next takes a page, and makes the request for the one after it, or null at the end
   * @param whole makes the result, after the last page
   */
  <Q extends MessageLite, R, T> Call<T> pages(
      Request<Q, R> first, Function<R, @Nullable Q> next, Supplier<T> whole) {
    return new Call<>() {
      @Override
      public T execute() {
        Q following = next.apply(prepare(first).execute());
        while (following != null) {
          following = next.apply(await(further(following)));
        }
        return whole.get();
      }

      @Override
      public CompletableFuture<T> start() {
        CompletableFuture<T> all = new CompletableFuture<>();
        page(all, prepare(first).start());
        return all;
      }

      private void page(CompletableFuture<T> all, CompletableFuture<R> page) {
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
                      all.complete(whole.get());
                    } else if (!all.isDone()) {
                      page(all, further(following));
                    }
                  } catch (RuntimeException e) {
                    all.completeExceptionally(e);
                  }
                });
      }

      /** What has a second page is not small: its pages are long, and are unary calls. */
      private CompletableFuture<R> further(Q request) {
        return unary(first.with(request), io.grpc.CallOptions.DEFAULT);
      }
    };
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
