package dev.colonnade.server.rpc;

import dev.colonnade.server.coordinator.ClusterOperations;
import dev.colonnade.server.coordinator.ClusterView;
import dev.colonnade.server.coordinator.NodeOperations;
import dev.colonnade.server.coordinator.RowStore;
import dev.colonnade.server.coordinator.RowToucher;
import dev.colonnade.server.coordinator.SchemaStore;
import dev.colonnade.server.coordinator.TimestampSource;
import dev.colonnade.server.env.Clock;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The gRPC server of a node: its services, health, and reflection on one address. Calls run on the
 * event loops that bring them, without a hop to another thread.
 *
 * <p>Thread-safe.
 */
public final class RpcServer {

  /**
   * What stands behind the services.
   *
   * @param timestamps for columns written without one
   */
  public record Backend(
      RowStore rows,
      RowToucher toucher,
      SchemaStore schemas,
      ClusterView cluster,
      NodeOperations operations,
      ClusterOperations clusterOperations,
      RingChanges ringChanges,
      TimestampSource timestamps,
      Clock clock) {}

  private final Server server;
  private final RpcServices services;
  private final RpcSettings settings;

  private RpcServer(Server server, RpcServices services, RpcSettings settings) {
    this.server = server;
    this.services = services;
    this.settings = settings;
  }

  /**
   * Binds and begins to answer; health says NOT_SERVING until {@link #serving}.
   *
   * @param address port 0 for any free one
   * @throws IOException if the address cannot be bound
   */
  public static RpcServer start(
      InetSocketAddress address, Backend backend, RpcSettings settings, CallMetrics metrics)
      throws IOException {
    RpcServices services = new RpcServices(backend, settings, metrics);
    RpcSettings.Connections limits = settings.connections();
    ServerBuilder<?> builder =
        NettyServerBuilder.forAddress(address)
            .maxConcurrentCallsPerConnection(limits.maxCallsPerConnection())
            .maxInboundMetadataSize(limits.maxMetadataBytes())
            .permitKeepAliveTime(limits.minKeepAliveSeconds(), TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .maxInboundMessageSize(limits.maxMessageBytes())
            .directExecutor();
    services.addTo(builder);
    return new RpcServer(builder.build().start(), services, settings);
  }

  /** The port that was bound. */
  public int port() {
    return server.getPort();
  }

  /**
   * Has health say SERVING or NOT_SERVING from now on, as the node is found to be; calls are
   * answered all the same. From any thread: of several such calls the one that asks last counts.
   */
  public void serving(BooleanSupplier serves) {
    services.serving(serves);
  }

  /**
   * Stops: health says NOT_SERVING for good, new calls are refused, open ones may end within the
   * grace period, what is left then is cancelled. Blocks until all calls have ended; not for an
   * event loop.
   *
   * @return whether all calls ended by themselves
   */
  public boolean stop() throws InterruptedException {
    services.stop();
    server.shutdown();
    boolean ended =
        server.awaitTermination(settings.connections().grace().toNanos(), TimeUnit.NANOSECONDS);
    if (!ended) {
      server.shutdownNow();
      server.awaitTermination(settings.connections().grace().toNanos(), TimeUnit.NANOSECONDS);
    }
    return ended;
  }
}
