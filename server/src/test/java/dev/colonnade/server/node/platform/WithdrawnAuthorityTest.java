package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.internode.v1.ExchangeRequest;
import dev.colonnade.internode.v1.ExchangeResponse;
import dev.colonnade.internode.v1.PeerServiceGrpc;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.tls.CertificateWatch;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node remembers of a caller lets it in no more than its certificate does. */
@Timeout(60)
final class WithdrawnAuthorityTest {

  private static final String CLUSTER = "Blog";
  private static final Duration DAY = Duration.ofDays(1);
  private static final List<String> HOSTS = List.of("127.0.0.1");

  @TempDir private Path folder;

  @Test
  void aCallerThatWasTrustedBeforeIsRefusedOnItsNextConnection() throws Exception {
    Path certs = folder.resolve("certs");
    CertificateDirectory ours = authorities(certs);
    CertifiedNode a = ours.createNode("a", HOSTS, Optional.empty(), DAY);
    CertifiedNode b = ours.createNode("b", HOSTS, Optional.empty(), DAY);
    Path others = folder.resolve("others");
    CertificateDirectory unused = authorities(others);
    NodeTls tls = tls(certs.resolve("a"));
    GrpcTransport node =
        GrpcTransport.bind(
            new InetSocketAddress("127.0.0.1", 0),
            GrpcNodes.SETTINGS,
            NodeMemory.unbounded(),
            tls.peers());
    try {
      node.open(new Peer(a.hostId(), new PeerAddress("127.0.0.1", node.port())), CLUSTER);
      node.receive(frame -> {});
      // The same for all connections, so that it remembers what the node gave it.
      SslContext caller = tls(certs.resolve("b")).peers().orElseThrow().dialing();
      assertEquals(Status.Code.OK, call(caller, node.port(), b).getCode());

      Path replaced =
          Files.copy(
              others.resolve("authority").resolve("peers-ca.pem"),
              certs.resolve("a").resolve("peers-ca.pem"),
              StandardCopyOption.REPLACE_EXISTING);
      new CertificateWatch(
              tls.ports(), DAY, new SystemClock(), new Health(), new PrometheusRegistry())
          .look();

      Status refused = call(caller, node.port(), b);
      assertEquals(Status.Code.UNAVAILABLE, refused.getCode(), replaced + " " + refused);
    } finally {
      node.close();
    }
  }

  private static CertificateDirectory authorities(Path directory) throws Exception {
    CertificateDirectory made = new CertificateDirectory(directory, Instant.now());
    made.createAuthorities(CLUSTER, DAY);
    return made;
  }

  private static NodeTls tls(Path directory) throws Exception {
    return NodeTls.of(
        NodeSettings.DEFAULT.with(TlsSettings.DIRECTORY, directory.toString()), new SystemClock());
  }

  /** How a stream ends that the caller ends after the node's first message. */
  private static Status call(SslContext caller, int port, CertifiedNode self) throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).sslContext(caller).build();
    try {
      ClientCall<ExchangeRequest, ExchangeResponse> call =
          channel.newCall(PeerServiceGrpc.getExchangeMethod(), CallOptions.DEFAULT);
      CompletableFuture<Status> end = new CompletableFuture<>();
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onMessage(ExchangeResponse welcome) {
              call.halfClose();
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              end.complete(status);
            }
          },
          new Metadata());
      call.request(2);
      Peer peer = new Peer(self.hostId(), new PeerAddress("127.0.0.1", 1));
      call.sendMessage(
          ExchangeRequest.newBuilder()
              .setHello(PeerMessages.hello(peer, CLUSTER, ChannelClass.DATA))
              .build());
      return end.get(30, TimeUnit.SECONDS);
    } finally {
      channel.shutdownNow();
    }
  }
}
