package dev.colonnade.client;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.MessageLite;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One node: its connection, its session, and what is known of how it is. The connection is made by
 * the first call, and again by later ones after it broke. Thread-safe.
 */
final class NodeConnection {

  /** What all nodes of a client share. */
  record Shared(Executor executor, LongSupplier nanoTime) {}

  private static final int MAX_DOUBLINGS = 5;

  private final String target;
  private final ManagedChannel channel;
  private final Channel listenedChannel;
  private final @Nullable ListenedCalls listened;
  private final Sessions sessions;
  private final Shared shared;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Latencies latencies = new Latencies();
  private final AtomicInteger losses = new AtomicInteger();

  private volatile boolean avoided;
  private volatile int failures;
  private volatile long avoidedUntilNanos;
  private volatile @Nullable RingNode known;

  /**
   * A node that is not connected yet.
   *
   * @param target where it is, as gRPC understands it
   * @param listened tells the listener of the calls to this node; null if there is none
   */
  NodeConnection(
      String target,
      ManagedChannel channel,
      @Nullable ListenedCalls listened,
      Sessions sessions,
      Shared shared) {
    this.target = target;
    this.channel = channel;
    this.listened = listened;
    this.listenedChannel =
        listened == null ? channel : ClientInterceptors.intercept(channel, listened);
    this.sessions = sessions;
    this.shared = shared;
  }

  String target() {
    return target;
  }

  /** For streams and administration. */
  Channel channel() {
    return listenedChannel;
  }

  /** For what the client does for itself, and no listener is told of. */
  Channel quietChannel() {
    return channel;
  }

  Sessions sessions() {
    return sessions;
  }

  /** Calls that have begun and not ended. */
  AtomicInteger inFlight() {
    return inFlight;
  }

  /** How long it takes for reads. */
  Latencies latencies() {
    return latencies;
  }

  /** A second node answered a read before this one; returns how many times in a row. */
  int hasLost() {
    return losses.incrementAndGet();
  }

  /** The node as the ring shows it; null before that is known, and for a mere contact point. */
  @Nullable RingNode known() {
    return known;
  }

  void isKnownAs(@Nullable RingNode node) {
    RingNode before = known;
    known = node;
    if (before != null
        && before.liveness() == RingNode.Liveness.DOWN
        && node != null
        && node.liveness() == RingNode.Liveness.UP) {
      // It is back: the pause before the next attempt to connect, up to two minutes by now, ends.
      channel.resetConnectBackoff();
    }
  }

  /** Whether calls should go to other nodes, if there are any. */
  boolean isDoubtful() {
    RingNode node = known;
    if (node != null && node.liveness() == RingNode.Liveness.DOWN) {
      return true;
    }
    if (avoided) {
      if (avoidedUntilNanos - shared.nanoTime().getAsLong() > 0) {
        return true;
      }
      avoided = false;
    }
    ConnectivityState state = channel.getState(false);
    return state == ConnectivityState.TRANSIENT_FAILURE || state == ConnectivityState.SHUTDOWN;
  }

  /**
   * Other nodes are preferred for a while: twice as long each time, up to 32 times as long, until
   * the node answers. Failures of calls that were in progress together count once.
   */
  void avoid(Duration time) {
    if (!avoided) {
      failures = Math.min(failures + 1, MAX_DOUBLINGS + 1);
    }
    avoidedUntilNanos =
        shared.nanoTime().getAsLong() + (time.toNanos() << Math.max(0, failures - 1));
    avoided = true;
  }

  /** It has answered. */
  void isSound() {
    if (failures != 0) {
      failures = 0;
    }
    if (losses.get() != 0) {
      losses.set(0);
    }
  }

  /** A call of the session, or a unary call. */
  <Q extends MessageLite, R> NodeCall<R> small(Transport.Request<Q, R> request) {
    SessionMethod method = SessionMethod.ofSmall(request);
    Session session = method == null ? null : sessions.current();
    NodeCall<R> unary = unary(request);
    if (method == null || session == null) {
      return unary;
    }
    SessionExchange<R> exchange =
        new SessionExchange<>(request, method, session, unary, listened, shared.executor());
    return new NodeCall<>() {
      @Override
      public Attempt<R> begin() {
        return exchange.begin();
      }

      @Override
      public CompletableFuture<R> start() {
        return exchange.start();
      }
    };
  }

  /** A unary call. */
  <Q, R> NodeCall<R> unary(Transport.Request<Q, R> request) {
    return new NodeCall<>() {
      @Override
      public Attempt<R> begin() {
        // The waiting thread is woken by the network's thread, and by no other in between.
        return new UnaryAttempt<>(
            NodeConnection.this.begin(
                request, io.grpc.CallOptions.DEFAULT.withExecutor(MoreExecutors.directExecutor())));
      }

      @Override
      public CompletableFuture<R> start() {
        return NodeConnection.this.begin(request, io.grpc.CallOptions.DEFAULT);
      }
    };
  }

  private record UnaryAttempt<R>(CompletableFuture<R> handOver) implements Attempt<R> {
    @Override
    public boolean await(long nanos) {
      try {
        handOver.get(nanos, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        return false;
      } catch (ExecutionException e) {
        // The result says so.
        return true;
      } catch (InterruptedException e) {
        // So does the wait for the result.
        Thread.currentThread().interrupt();
      }
      return true;
    }

    @Override
    public R result() {
      return Transport.await(handOver);
    }
  }

  private <Q, R> CompletableFuture<R> begin(
      Transport.Request<Q, R> request, io.grpc.CallOptions options) {
    ClientCall<Q, R> call =
        TraceHeader.on(listenedChannel, request.traceparent())
            .newCall(
                request.method(),
                options
                    .withDeadline(request.deadline())
                    .withOption(ListenedCalls.IF_UNSTATED, request.ifUnstated())
                    .withOption(ListenedCalls.TURN, request.turn())
                    .withOption(ListenedCalls.REQUEST, request.message()));
    CompletableFuture<R> future = new CompletableFuture<>();
    ClientCalls.asyncUnaryCall(call, request.message(), new Answer<>(future, request.ifUnstated()));
    Transport.whenCancelled(future, () -> call.cancel("the caller gave up", null));
    return future;
  }

  /** Takes no more calls; those in progress go on. */
  void retire() {
    sessions.close();
    channel.shutdown();
  }

  /** Waits until the calls in progress have ended, or ends them. */
  void end(long untilNanos) {
    try {
      if (!channel.awaitTermination(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return target;
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
