package dev.colonnade.server.sim;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A client's connection to a node, for generated stubs: a real channel over the network of a world.
 * It breaks when the node's process ends; when the machine loses its power, its calls get no answer
 * until it is on again.
 */
public final class SimConnection {
  private static final long NEVER_IDLE_DAYS = 1_000;

  private final ManagedChannel transport;
  private final Channel calls;

  /**
   * Closed in this order, where the transport would close them in the order of their identities.
   */
  private final Set<Tracked<?, ?>> open = new LinkedHashSet<>();

  private boolean broken;

  SimConnection(World<?> world, SimPort port, Machine<?> machine) {
    this.transport =
        InProcessChannelBuilder.forAddress(port.address())
            .scheduledExecutorService(world.clientTimers())
            .executor(
                task ->
                    world.at(
                        world.nowNanos() + machine.clientDelayNanos(), null, world.guard(task)))
            // Both would look at the machine's own clock and chance.
            .idleTimeout(NEVER_IDLE_DAYS, TimeUnit.DAYS)
            .disableRetry()
            .build();
    this.calls = ClientInterceptors.intercept(transport, new Tracker());
    port.onLoop(() -> transport.getState(true));
  }

  /** For stubs. */
  public Channel channel() {
    return calls;
  }

  /** Whether it has ended; calls are UNAVAILABLE then. */
  public boolean isBroken() {
    return broken;
  }

  /** Ends it, and with it all its calls. */
  public void breakOff() {
    if (!broken) {
      broken = true;
      List.copyOf(open).forEach(call -> call.cancel("the connection broke", null));
      transport.shutdownNow();
    }
  }

  private final class Tracker implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      return new Tracked<>(next.newCall(method, options));
    }
  }

  private final class Tracked<Q, R> extends SimpleForwardingClientCall<Q, R> {
    Tracked(ClientCall<Q, R> call) {
      super(call);
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      open.add(this);
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onClose(Status status, Metadata trailers) {
              open.remove(Tracked.this);
              if (broken && !status.isOk()) {
                super.onClose(
                    Status.UNAVAILABLE.withDescription("the connection broke"), new Metadata());
              } else {
                super.onClose(status, trailers);
              }
            }
          },
          headers);
    }
  }
}
