package dev.colonnade.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tells a listener of calls. Thread-safe. */
final class ListenedCalls implements ClientInterceptor {

  /** The outcome of a failed call if no node states it. */
  static final CallOptions.Key<Applied> IF_UNSTATED =
      CallOptions.Key.createWithDefault("dev.colonnade.client.if-unstated", Applied.NO);

  /** The reason with which a reader that needs no more ends a call; it is not a failure. */
  static final String SEEN_ENOUGH = "the reader stopped before the end";

  private static final System.Logger LOGGER = System.getLogger(ListenedCalls.class.getName());

  private final CallListener listener;

  ListenedCalls(CallListener listener) {
    this.listener = listener;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    String name = name(method);
    Applied ifUnstated = options.getOption(IF_UNSTATED);
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      private volatile boolean cancelled;
      private volatile boolean enough;

      @Override
      public void start(Listener<R> responses, Metadata headers) {
        long start = System.nanoTime();
        super.start(
            new SimpleForwardingClientCallListener<>(responses) {
              @Override
              public void onClose(Status status, Metadata trailers) {
                try {
                  listener.ended(
                      name,
                      Duration.ofNanos(System.nanoTime() - start),
                      failure(status, trailers, enough, ifUnstated));
                } finally {
                  super.onClose(status, trailers);
                }
              }
            },
            headers);
      }

      @Override
      public void cancel(@Nullable String message, @Nullable Throwable cause) {
        if (!cancelled) {
          enough = SEEN_ENOUGH.equals(message);
          cancelled = true;
        }
        super.cancel(message, cause);
      }
    };
  }

  private static String name(MethodDescriptor<?, ?> method) {
    return Objects.requireNonNullElse(method.getBareMethodName(), method.getFullMethodName());
  }

  /**
   * Tells the listener of a call of a session.
   *
   * @param startNanos when it began, on the clock of {@link System#nanoTime}
   */
  void ended(MethodDescriptor<?, ?> method, long startNanos, @Nullable ColonnadeException failure) {
    try {
      listener.ended(
          name(method),
          Duration.ofNanos(System.nanoTime() - startNanos),
          Optional.ofNullable(failure));
    } catch (RuntimeException e) {
      // The call has its own outcome. Of unary calls, gRPC logs this.
      LOGGER.log(System.Logger.Level.WARNING, "a listener of calls failed", e);
    }
  }

  private static Optional<ColonnadeException> failure(
      Status status, Metadata trailers, boolean enough, Applied ifUnstated) {
    boolean left = enough && status.getCode() == Status.Code.CANCELLED;
    return status.isOk() || left
        ? Optional.empty()
        : Optional.of(Errors.translate(status.asRuntimeException(trailers), ifUnstated));
  }
}
