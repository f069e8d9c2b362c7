package dev.colonnade.server.service.rpc;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;

/** The services of a node that has no ports, in this process and on the thread of the caller. */
public final class NodeCallsFixture implements AutoCloseable {

  private final Server server;
  private final ManagedChannel channel;

  /** Opens all services over their stores. */
  public NodeCallsFixture(RpcServer.Backend backend) {
    String name = "node-" + UUID.randomUUID();
    InProcessServerBuilder builder = InProcessServerBuilder.forName(name).directExecutor();
    new RpcServices(
            backend,
            RpcSettings.defaults(),
            CallMetrics.NONE,
            TestAccess.open(backend.clock(), backend.scheduler()))
        .addTo(builder);
    builder.intercept(new ContractGuard());
    try {
      server = builder.build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  /** For stubs that do not wait: a blocking one would wait on the thread that does the work. */
  public ManagedChannel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
