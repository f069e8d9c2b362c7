package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.server.base.env.LogLevels;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.sim.NaiveRowStore;
import dev.colonnade.server.sim.SimClock;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The server on a real socket. */
final class RpcServerTest {

  @Test
  void bindsServesAndStopsInOrder() throws Exception {
    SimClock clock = new SimClock();
    DirectScheduler scheduler = new DirectScheduler();
    NaiveRowStore rows = new NaiveRowStore(clock);
    TestNode node = new TestNode(Partitioners.RANDOM);
    RpcServer.Backend backend =
        new RpcServer.Backend(
            rows,
            touch -> CompletableFuture.completedFuture(0),
            new TestSchemas(rows::truncate),
            node,
            node,
            node,
            node,
            LoadService.NO_LOADS,
            LoadService.NO_SNAPSHOTS,
            new IncreasingTimestamps(clock),
            clock,
            scheduler,
            NodeMemory.unbounded(),
            PlugIns.NONE,
            LogLevels.FIXED,
            TestSettings.over(scheduler));
    RpcServer server =
        RpcServer.start(
            NettyServerBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
            () -> null,
            backend,
            RpcSettings.defaults(),
            CallMetrics.NONE,
            TestAccess.open(clock, scheduler));
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
            .usePlaintext()
            .build();
    try {
      HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(channel);
      HealthCheckRequest all = HealthCheckRequest.getDefaultInstance();
      assertEquals(ServingStatus.NOT_SERVING, health.check(all).getStatus());
      server.serving(() -> true);
      assertEquals(ServingStatus.SERVING, health.check(all).getStatus());
      assertEquals(
          "system",
          SchemaServiceGrpc.newBlockingStub(channel)
              .listKeyspaces(ListKeyspacesRequest.getDefaultInstance())
              .getKeyspaces(0)
              .getName());
      assertTrue(server.stop());
    } finally {
      channel.shutdownNow();
    }
  }
}
