package dev.colonnade.client;

import com.google.protobuf.MessageLite;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One call of a session, from the request to the result. For one call. */
final class SessionExchange<R> implements Attempt<R> {

  private final Transport.Request<? extends MessageLite, R> request;
  private final SessionMethod method;
  private final Session session;
  private final NodeCall<R> otherwise;
  private final @Nullable ListenedCalls listened;
  private final Executor executor;
  private final byte[] encoded;
  private final long startNanos;
  private final long deadlineNanos;

  private PendingCall.@Nullable Outcome outcome;

  /** The call of the thread that waits. */
  private PendingCall.@Nullable Blocking waiting;

  /** Took the place of the call that was not sent, because the session ended. */
  private @Nullable Attempt<R> instead;

  /**
   * A call that was not made yet.
   *
   * @param otherwise makes it if it was not sent, because the session ended
   * @param executor completes the future
   */
  SessionExchange(
      Transport.Request<? extends MessageLite, R> request,
      SessionMethod method,
      Session session,
      NodeCall<R> otherwise,
      @Nullable ListenedCalls listened,
      Executor executor) {
    this.request = request;
    this.method = method;
    this.session = session;
    this.otherwise = otherwise;
    this.listened = listened;
    this.executor = executor;
    this.encoded = method.encode(request.message());
    this.startNanos = System.nanoTime();
    this.deadlineNanos = startNanos + request.deadline().timeRemaining(TimeUnit.NANOSECONDS);
  }

  /** Makes the call, for this thread to wait for it. */
  SessionExchange<R> begin() {
    PendingCall.Blocking call =
        new PendingCall.Blocking(method, encoded, deadlineNanos, request.ifUnstated());
    call.traced(request.traceparent());
    session.submit(call);
    waiting = call;
    return this;
  }

  @Override
  public boolean await(long nanos) {
    long untilNanos = System.nanoTime() + nanos;
    return awaitUntil(untilNanos)
        && (instead == null || instead.await(untilNanos - System.nanoTime()));
  }

  /** Waits for the session's part of the call; whether it has ended. */
  private boolean awaitUntil(long untilNanos) {
    if (outcome == null) {
      outcome = begun().await(session, untilNanos);
      if (outcome instanceof PendingCall.NotSent) {
        instead = otherwise.begin();
      }
    }
    return outcome != null;
  }

  private PendingCall.Blocking begun() {
    return Objects.requireNonNull(waiting, "the call was not begun");
  }

  @Override
  public R result() {
    boolean unused = awaitUntil(deadlineNanos);
    return instead == null ? answer() : instead.result();
  }

  @Override
  public CompletableFuture<R> handOver() {
    if (instead != null) {
      return instead.handOver();
    }
    CompletableFuture<R> future = new CompletableFuture<>();
    PendingCall.Blocking call = begun();
    call.handOver(ended -> executor.execute(() -> complete(ended, future)));
    session.watch(call);
    return cancelling(future, call);
  }

  /** Makes the call for a caller that does not wait. */
  CompletableFuture<R> start() {
    CompletableFuture<R> future = new CompletableFuture<>();
    PendingCall.Asynchronous call =
        new PendingCall.Asynchronous(
            method,
            encoded,
            deadlineNanos,
            request.ifUnstated(),
            // Not on the network's thread: what depends on the future is the program's own code,
            // and all answers would wait while it runs.
            ended -> executor.execute(() -> complete(ended, future)));
    call.traced(request.traceparent());
    session.submit(call);
    return cancelling(future, call);
  }

  private CompletableFuture<R> cancelling(CompletableFuture<R> future, PendingCall call) {
    Transport.whenCancelled(
        future, () -> session.giveUp(call, Status.CANCELLED.withDescription("the caller gave up")));
    return future;
  }

  private void complete(PendingCall.Outcome ended, CompletableFuture<R> future) {
    outcome = ended;
    R result;
    try {
      if (ended instanceof PendingCall.NotSent) {
        forward(otherwise.start(), future);
        return;
      }
      result = answer();
    } catch (RuntimeException | Error e) {
      // Also an error, as of a listener or of a serializer's class: the caller waits for the
      // future.
      future.completeExceptionally(e);
      return;
    }
    future.complete(result);
  }

  private static <T> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
    var unused =
        from.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(failure);
              }
            });
    Transport.whenCancelled(to, () -> from.cancel(false));
  }

  /**
   * The answer of a call that has ended and was sent, after the listener was told.
   *
   * @throws ColonnadeException if the call failed
   */
  private R answer() {
    R answer = null;
    ColonnadeException failure = null;
    if (outcome instanceof PendingCall.Answered answered) {
      try {
        answer = decode(answered);
      } catch (IOException e) {
        failure = unreadable(e);
      }
    } else if (outcome instanceof PendingCall.Refused refused) {
      failure = refusal(refused);
    } else if (outcome instanceof PendingCall.Failed failed) {
      failure = Errors.translate(failed.status().asRuntimeException(), failed.applied());
    }
    if (listened != null) {
      listened.ended(request, startNanos, answer, failure);
    }
    if (answer == null) {
      throw failure == null ? unreadable(new IOException("no outcome")) : failure;
    }
    return answer;
  }

  @SuppressWarnings("unchecked") // The method has the parser of its answers.
  private R decode(PendingCall.Answered answered) throws IOException {
    return (R) method.decode(answered.message());
  }

  private ColonnadeException refusal(PendingCall.Refused refused) {
    StatusRuntimeException thrown;
    try {
      thrown =
          StatusProto.toStatusRuntimeException(com.google.rpc.Status.parseFrom(refused.status()));
    } catch (IOException | IllegalArgumentException e) {
      return unreadable(e);
    }
    return Errors.translate(thrown, request.ifUnstated());
  }

  private ColonnadeException unreadable(Exception cause) {
    return Errors.translate(
        Status.INTERNAL
            .withDescription("the answer could not be decoded")
            .withCause(cause)
            .asRuntimeException(),
        request.ifUnstated());
  }
}
