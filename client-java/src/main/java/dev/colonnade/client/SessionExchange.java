package dev.colonnade.client;

import com.google.protobuf.MessageLite;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One call of a session, from the request to the result. For one call. */
final class SessionExchange<R> {

  private final Transport.Request<? extends MessageLite, R> request;
  private final SessionMethod method;
  private final ListenedCalls listened;
  private final Executor executor;
  private final byte[] encoded;
  private final long startNanos;
  private final long deadlineNanos;

  private PendingCall.@Nullable Outcome outcome;

  /**
   * A call that was not made yet.
   *
   * @param executor completes the future
   */
  SessionExchange(
      Transport.Request<? extends MessageLite, R> request,
      SessionMethod method,
      ListenedCalls listened,
      Executor executor) {
    this.request = request;
    this.method = method;
    this.listened = listened;
    this.executor = executor;
    this.encoded = method.encode(request.message());
    this.startNanos = System.nanoTime();
    this.deadlineNanos = startNanos + request.deadline().timeRemaining(TimeUnit.NANOSECONDS);
  }

  /** Makes the call and waits; false if it was not sent, because the session ended. */
  boolean execute(Session session) {
    PendingCall.Blocking call =
        new PendingCall.Blocking(method, encoded, deadlineNanos, request.ifUnstated());
    session.submit(call);
    outcome = call.await(session);
    return !(outcome instanceof PendingCall.NotSent);
  }

  /**
   * Makes the call.
   *
   * @param otherwise makes it if it was not sent, because the session ended
   */
  CompletableFuture<R> start(Session session, Supplier<CompletableFuture<R>> otherwise) {
    CompletableFuture<R> future = new CompletableFuture<>();
    PendingCall.Asynchronous call =
        new PendingCall.Asynchronous(
            method,
            encoded,
            deadlineNanos,
            request.ifUnstated(),
            // Not on the network's thread: what depends on the future is the program's own code,
            // and all answers would wait while it runs.
            ended -> executor.execute(() -> complete(ended, future, otherwise)));
    session.submit(call);
    Transport.whenCancelled(
        future, () -> session.giveUp(call, Status.CANCELLED.withDescription("the caller gave up")));
    return future;
  }

  private void complete(
      PendingCall.Outcome ended,
      CompletableFuture<R> future,
      Supplier<CompletableFuture<R>> otherwise) {
    outcome = ended;
    if (ended instanceof PendingCall.NotSent) {
      forward(otherwise.get(), future);
      return;
    }
    R result;
    try {
      result = result();
    } catch (RuntimeException e) {
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
  R result() {
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
    listened.ended(request.method(), startNanos, failure);
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
