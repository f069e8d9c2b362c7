package dev.colonnade.server.sim;

import io.grpc.ForwardingServerBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.inprocess.AnonymousInProcessSocketAddress;
import io.grpc.inprocess.InProcessServerBuilder;
import java.net.SocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where clients reach a node: gRPC within this process, on virtual time. What calls bring reaches
 * the node one piece at a time, after some delay, as messages of other nodes do.
 */
public final class SimPort {
  private final World<?> world;
  private final Machine<?> machine;
  private final NodeProcess process;
  private final SocketAddress address = new AnonymousInProcessSocketAddress();
  private final Executor loop = this::afterOthers;
  private boolean onLoop;
  private boolean listens;
  private @Nullable Server server;

  SimPort(World<?> world, Machine<?> machine, NodeProcess process) {
    this.world = world;
    this.machine = machine;
    this.process = process;
  }

  /** For one server, which begins to listen as soon as it is built. */
  public ServerBuilder<?> builder() {
    InProcessServerBuilder server =
        InProcessServerBuilder.forAddress(address)
            .deadlineTicker(world.ticker())
            .scheduledExecutorService(
                new VirtualExecutor(
                    world.time(), (delay, task) -> machine.arrive(this, delay, task)))
            .executor(task -> machine.arrive(this, machine.clientDelayNanos(), task));
    return new Builder(server);
  }

  /** The event loop, for whoever runs on it. */
  public @Nullable Executor loop() {
    return onLoop && process.scheduler().current() == null ? loop : null;
  }

  private void afterOthers(Runnable task) {
    if (!machine.runs(process)) {
      throw new RejectedExecutionException("the process has ended");
    }
    var unused = machine.arrive(this, 0, task);
  }

  /** Listens no more, and ends all connections. */
  public void close() {
    listens = false;
    machine.breakConnections();
    Server open = server;
    if (open != null) {
      // Otherwise the library's list of servers would hold the whole world.
      open.shutdownNow();
    }
  }

  NodeProcess process() {
    return process;
  }

  SocketAddress address() {
    return address;
  }

  boolean listens() {
    return listens;
  }

  /** Runs something on the event loop. */
  void onLoop(Runnable task) {
    boolean before = onLoop;
    onLoop = true;
    try {
      task.run();
    } finally {
      onLoop = before;
    }
  }

  /** Leaves out what this transport has no use for, and where calls run, which is decided here. */
  private final class Builder extends ForwardingServerBuilder<Builder> {
    private final InProcessServerBuilder delegate;

    Builder(InProcessServerBuilder delegate) {
      this.delegate = delegate;
    }

    @Override
    protected ServerBuilder<?> delegate() {
      return delegate;
    }

    @Override
    public Builder directExecutor() {
      return this;
    }

    @Override
    public Builder permitKeepAliveTime(long time, TimeUnit unit) {
      return this;
    }

    @Override
    public Builder permitKeepAliveWithoutCalls(boolean permit) {
      return this;
    }

    @Override
    public Server build() {
      Server built = super.build();
      listens = true;
      server = built;
      return built;
    }
  }
}
