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

/** Tells a listener of the calls to one node. Thread-safe. */
final class ListenedCalls implements ClientInterceptor {

  /** The outcome of a failed call if no node states it. */
  static final CallOptions.Key<Applied> IF_UNSTATED =
      CallOptions.Key.createWithDefault("dev.colonnade.client.if-unstated", Applied.NO);

  /** Which attempt of its call this is. */
  static final CallOptions.Key<Transport.Turn> TURN =
      CallOptions.Key.createWithDefault("dev.colonnade.client.turn", Transport.Turn.FIRST);

  /**
   * The request of a call that has one, so that a call that ends before its request is handed over
   * is told of with its family; the network's threads may be that fast.
   */
  static final CallOptions.Key<Object> REQUEST =
      CallOptions.Key.create("dev.colonnade.client.request");

  /** The reason with which a reader that needs no more ends a call; it is not a failure. */
  static final String SEEN_ENOUGH = "the reader stopped before the end";

  private static final System.Logger LOGGER = System.getLogger(ListenedCalls.class.getName());

  private final CallListener listener;
  private final String node;

  /**
   * For one node.
   *
   * @param node its target
   */
  ListenedCalls(CallListener listener, String node) {
    this.listener = listener;
    this.node = node;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return new ListenedCall<>(method, options, next.newCall(method, options));
  }

  private final class ListenedCall<Q, R> extends SimpleForwardingClientCall<Q, R> {

    private final MethodDescriptor<Q, R> method;
    private final CallOptions options;
    private volatile boolean cancelled;
    private volatile boolean enough;
    private volatile @Nullable Object first;

    ListenedCall(MethodDescriptor<Q, R> method, CallOptions options, ClientCall<Q, R> call) {
      super(call);
      this.method = method;
      this.options = options;
      this.first = options.getOption(REQUEST);
    }

    @Override
    public void sendMessage(Q request) {
      if (first == null) {
        first = request;
      }
      super.sendMessage(request);
    }

    @Override
    public void start(Listener<R> responses, Metadata headers) {
      long start = System.nanoTime();
      String header = headers.get(TraceHeader.KEY);
      String traceparent = header == null ? "" : header;
      super.start(
          new SimpleForwardingClientCallListener<>(responses) {

            /** Of a stream, what the last part has that has any. */
            private Optional<CallStatistics> cost = Optional.empty();

            @Override
            public void onMessage(R answer) {
              Optional<CallStatistics> stated = CallSubject.cost(answer);
              cost = stated.isPresent() ? stated : cost;
              super.onMessage(answer);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              try {
                listener.ended(
                    event(
                        method,
                        first,
                        options.getOption(TURN),
                        start,
                        failure(status, trailers),
                        cost,
                        traceparent));
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

    private Optional<ColonnadeException> failure(Status status, Metadata trailers) {
      boolean left = enough && status.getCode() == Status.Code.CANCELLED;
      return status.isOk() || left
          ? Optional.empty()
          : Optional.of(
              Errors.translate(
                  status.asRuntimeException(trailers), options.getOption(IF_UNSTATED)));
    }
  }

  private CallEvent event(
      MethodDescriptor<?, ?> method,
      @Nullable Object request,
      Transport.Turn turn,
      long startNanos,
      Optional<ColonnadeException> failure,
      Optional<CallStatistics> cost,
      String traceparent) {
    CallSubject subject = CallSubject.of(request);
    return new CallEvent(
        Objects.requireNonNullElse(method.getBareMethodName(), method.getFullMethodName()),
        subject.keyspace(),
        subject.columnFamily(),
        node,
        turn.attempt(),
        turn.speculative(),
        Duration.ofNanos(System.nanoTime() - startNanos),
        failure,
        cost,
        traceparent);
  }

  /**
   * Tells the listener of a call of a session.
   *
   * @param startNanos when it began, on the clock of {@link System#nanoTime}
   * @param answer null if it failed
   */
  void ended(
      Transport.Request<?, ?> request,
      long startNanos,
      @Nullable Object answer,
      @Nullable ColonnadeException failure) {
    try {
      listener.ended(
          event(
              request.method(),
              request.message(),
              request.turn(),
              startNanos,
              Optional.ofNullable(failure),
              CallSubject.cost(answer),
              request.traceparent()));
    } catch (RuntimeException | Error e) {
      // The call has its own outcome. Of unary calls, gRPC logs this.
      LOGGER.log(System.Logger.Level.WARNING, "a listener of calls failed", e);
    }
  }
}
