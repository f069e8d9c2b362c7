package dev.colonnade.client;

import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A channel of several connections to one node. A node takes a limited number of calls on one
 * connection, and gRPC lets further ones wait in silence until their deadlines; so a call that
 * finds a connection full goes to another one, which is made when it is first needed. Thread-safe.
 */
final class WideChannel extends ManagedChannel {

  /** Below what a node takes on a connection, 1,000, because calls are counted without a lock. */
  static final int FULL = 900;

  private final Supplier<ManagedChannel> connector;
  private final int mostConnections;

  /** Never empty; grows only, and only while it is not shut down. */
  private final List<Connection> connections = new CopyOnWriteArrayList<>();

  private record Connection(ManagedChannel channel, AtomicInteger calls) {}

  /**
   * One connection, which the first call makes.
   *
   * @param first the channel of that connection
   * @param connector makes a channel for one more connection to the same node
   * @param mostConnections from 1
   */
  WideChannel(ManagedChannel first, Supplier<ManagedChannel> connector, int mostConnections) {
    this.connector = connector;
    this.mostConnections = mostConnections;
    connections.add(new Connection(first, new AtomicInteger()));
  }

  @Override
  public <Q, R> ClientCall<Q, R> newCall(
      MethodDescriptor<Q, R> method, io.grpc.CallOptions options) {
    Connection connection = roomiest();
    return new CountedCall<>(connection.channel().newCall(method, options), connection.calls());
  }

  /** The first that is not full; one more if all are; the least used where there may be no more. */
  private Connection roomiest() {
    Connection least = null;
    for (Connection each : connections) {
      if (each.calls().get() < FULL) {
        return each;
      }
      if (least == null || each.calls().get() < least.calls().get()) {
        least = each;
      }
    }
    Connection added = connections.size() < mostConnections ? add() : null;
    return added != null ? added : least != null ? least : connections.get(0);
  }

  private synchronized @Nullable Connection add() {
    Connection last = connections.get(connections.size() - 1);
    if (last.calls().get() < FULL) {
      return last;
    }
    if (connections.size() == mostConnections || isShutdown()) {
      return null;
    }
    Connection added = new Connection(connector.get(), new AtomicInteger());
    connections.add(added);
    return added;
  }

  /** How many connections there are, or will be with their first calls. */
  int connections() {
    return connections.size();
  }

  /** Counts the call from its start to its end. */
  private static final class CountedCall<Q, R> extends SimpleForwardingClientCall<Q, R> {

    private final AtomicInteger calls;

    CountedCall(ClientCall<Q, R> call, AtomicInteger calls) {
      super(call);
      this.calls = calls;
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      calls.incrementAndGet();
      boolean started = false;
      try {
        super.start(
            new SimpleForwardingClientCallListener<R>(listener) {
              @Override
              public void onClose(Status status, Metadata trailers) {
                calls.decrementAndGet();
                super.onClose(status, trailers);
              }
            },
            headers);
        started = true;
      } finally {
        if (!started) {
          calls.decrementAndGet();
        }
      }
    }
  }

  @Override
  public String authority() {
    return connections.get(0).channel().authority();
  }

  @Override
  public synchronized ManagedChannel shutdown() {
    connections.forEach(each -> each.channel().shutdown());
    return this;
  }

  @Override
  public synchronized ManagedChannel shutdownNow() {
    connections.forEach(each -> each.channel().shutdownNow());
    return this;
  }

  @Override
  public boolean isShutdown() {
    return connections.get(0).channel().isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return connections.stream().allMatch(each -> each.channel().isTerminated());
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    long until = System.nanoTime() + unit.toNanos(timeout);
    for (Connection each : connections) {
      if (!each.channel().awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return false;
      }
    }
    return true;
  }

  /** That of the first connection, which carries all calls that it has room for. */
  @Override
  public ConnectivityState getState(boolean requestConnection) {
    return connections.get(0).channel().getState(requestConnection);
  }

  @Override
  public void notifyWhenStateChanged(ConnectivityState source, Runnable callback) {
    connections.get(0).channel().notifyWhenStateChanged(source, callback);
  }

  @Override
  public void resetConnectBackoff() {
    connections.forEach(each -> each.channel().resetConnectBackoff());
  }

  @Override
  public void enterIdle() {
    connections.forEach(each -> each.channel().enterIdle());
  }
}
