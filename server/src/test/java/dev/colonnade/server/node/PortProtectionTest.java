package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.internode.v1.ExchangeRequest;
import dev.colonnade.internode.v1.ExchangeResponse;
import dev.colonnade.internode.v1.Hello;
import dev.colonnade.internode.v1.Lane;
import dev.colonnade.internode.v1.PeerServiceGrpc;
import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.AccessSettings.Authentication;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.ConnectionSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.platform.SystemClock;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node refuses to do unprotected, and which node its certificate makes it. */
@Timeout(60)
final class PortProtectionTest {

  private static final Duration DAY = Duration.ofDays(1);
  private static final Authentication PASSWORD = Authentication.PASSWORD;

  @TempDir private static Path certs;
  @TempDir private Path data;

  private static CertifiedNode first;

  @BeforeAll
  static void makeCertificates() throws Exception {
    CertificateDirectory directory =
        new CertificateDirectory(certs.resolve("certs"), Instant.now());
    directory.createAuthorities("Blog", DAY);
    first = directory.createNode("n1", List.of("10.0.0.1"), Optional.empty(), DAY);
    CertifiedNode unused = directory.createNode("n2", List.of("h"), Optional.empty(), DAY);
  }

  private static String file(String name) {
    return certs.resolve("certs").resolve(name).toString();
  }

  /** Beyond loopback each port needs its certificates, or the word of the operator. */
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, false, false, false, true",
    "127.0.0.9, false, false, false, true",
    "::1,       false, false, false, true",
    "localhost, false, false, false, true",
    "10.0.0.1,  false, false, false, false",
    "10.0.0.1,  true,  false, false, false",
    "10.0.0.1,  false, true,  false, false",
    "10.0.0.1,  true,  true,  false, true",
    "10.0.0.1,  false, false, true,  true",
    "192.0.2.7, false, false, false, false",
    "2001:db8::1, false, false, false, false"
  })
  void aPortThatOthersReachNeedsProtection(
      String address, boolean clients, boolean peers, boolean insecure, boolean starts)
      throws Exception {
    NodeSettings settings =
        NodeSettings.DEFAULT
            .with(AddressSettings.CLIENT_ADDRESS, address)
            .with(AddressSettings.PEER_ADDRESS, address)
            .with(TlsSettings.INSECURE, insecure);
    settings =
        clients ? clientTls(settings).with(AccessSettings.AUTHENTICATION, PASSWORD) : settings;
    settings = peers ? peerTls(settings) : settings;
    assertStarts(settings, starts, "docs/security.md");
  }

  @Test
  void eachPortIsLookedAtByItself() throws Exception {
    NodeSettings outward = NodeSettings.DEFAULT.with(AddressSettings.CLIENT_ADDRESS, "0.0.0.0");
    assertStarts(outward, false, "--client-tls-cert");
    assertStarts(clientTls(outward).with(AccessSettings.AUTHENTICATION, PASSWORD), true, "");
    NodeSettings inward = NodeSettings.DEFAULT.with(AddressSettings.PEER_ADDRESS, "10.0.0.1");
    assertStarts(inward, false, "--peer-tls-cert");
    assertStarts(peerTls(inward), true, "");
  }

  /**
   * Nodes take accounts from each other, so whoever reaches that port could make an administrator.
   */
  @Test
  void callersWhoSayWhoTheyAreNeedAPortForNodesThatIsClosedToOthers() throws Exception {
    NodeSettings trusting =
        NodeSettings.DEFAULT
            .with(AddressSettings.PEER_ADDRESS, "10.0.0.1")
            .with(TlsSettings.INSECURE, true);
    assertStarts(trusting, true, "");
    NodeSettings asking = trusting.with(AccessSettings.AUTHENTICATION, PASSWORD);
    NodeStartException refused =
        assertThrows(
            NodeStartException.class, () -> PortProtection.open(asking, new SystemClock()));
    assertTrue(String.valueOf(refused.getMessage()).contains("administrator"));
    assertStarts(peerTls(asking), true, "");
    assertStarts(asking.with(AddressSettings.PEER_ADDRESS, "127.0.0.1"), true, "");
  }

  /** On loopback too: every program of the machine could make an administrator. */
  @Test
  void callersWhoSayWhoTheyAreNeedCertificatesBetweenNodesOrTheWordOfTheOperator()
      throws Exception {
    NodeSettings alone = NodeSettings.DEFAULT.with(AccessSettings.AUTHENTICATION, PASSWORD);
    assertStarts(alone, true, "");
    assertTrue(isClosed(alone));
    assertStarts(alone.with(ClusterSettings.SEEDS, List.of("127.0.0.1")), true, "");
    NodeSettings withOthers = alone.with(ClusterSettings.SEEDS, List.of("127.0.0.1", "127.0.0.2"));
    assertStarts(withOthers, false, "--tls");
    NodeSettings onAFreePort =
        alone
            .with(AddressSettings.PEER_PORT, 0)
            .with(ClusterSettings.SEEDS, List.of("127.0.0.1:7000"));
    assertStarts(onAFreePort, false, "--tls");
    assertStarts(withOthers.with(TlsSettings.INSECURE, true), true, "");
    assertStarts(peerTls(withOthers), true, "");
    assertFalse(isClosed(withOthers.with(TlsSettings.INSECURE, true)));
    assertFalse(isClosed(peerTls(withOthers)));
    assertFalse(isClosed(NodeSettings.DEFAULT));
  }

  private static boolean isClosed(NodeSettings settings) throws Exception {
    NodeTls tls = PortProtection.open(settings, new SystemClock());
    return PortProtection.closedToNodes(settings, tls).isPresent();
  }

  @Test
  void aNodeThatAsksItsCallersWhoTheyAreIsNotCalledByOthersWithoutCertificates() throws Exception {
    NodeOptions options =
        NodeOptions.defaults()
            .withDataDirectory(data)
            .withFreePorts()
            .with(AccessSettings.AUTHENTICATION, PASSWORD);
    for (boolean insecure : List.of(false, true)) {
      try (Node node = Node.start(options.with(TlsSettings.INSECURE, insecure))) {
        ManagedChannel channel =
            Grpc.newChannelBuilder(
                    node.self().address().toString(), InsecureChannelCredentials.create())
                .build();
        CompletableFuture<Status> end = new CompletableFuture<>();
        try {
          ClientCall<ExchangeRequest, ExchangeResponse> call =
              channel.newCall(PeerServiceGrpc.getExchangeMethod(), CallOptions.DEFAULT);
          call.start(
              new ClientCall.Listener<>() {
                @Override
                public void onClose(Status status, Metadata trailers) {
                  end.complete(status);
                }
              },
              new Metadata());
          call.request(2);
          call.sendMessage(
              ExchangeRequest.newBuilder()
                  .setHello(
                      Hello.newBuilder()
                          .setProtocolVersion(2)
                          .setClusterName(ClusterSettings.NAME.defaultValue())
                          .setNodeId("00112233445566778899aabbccddeeff")
                          .setHost("127.0.0.1")
                          .setPort(1)
                          .setLane(Lane.LANE_DATA))
                  .build());
          call.halfClose();
          Status status = end.get(30, TimeUnit.SECONDS);
          assertEquals(
              insecure ? Status.Code.OK : Status.Code.FAILED_PRECONDITION,
              status.getCode(),
              status.toString());
          assertEquals(!insecure, String.valueOf(status.getDescription()).contains("--tls"));
        } finally {
          channel.shutdownNow();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theServicesAreDescribedUnlessThatIsSwitchedOff(boolean reflection) throws Exception {
    NodeOptions options =
        NodeOptions.defaults()
            .withDataDirectory(data)
            .withFreePorts()
            .with(ConnectionSettings.REFLECTION, reflection);
    try (Node node = Node.start(options)) {
      for (MethodDescriptor<?, ?> method :
          List.of(
              ServerReflectionGrpc.getServerReflectionInfoMethod(),
              io.grpc.reflection.v1alpha.ServerReflectionGrpc.getServerReflectionInfoMethod())) {
        assertEquals(
            reflection ? Status.Code.OK : Status.Code.UNIMPLEMENTED,
            call(node.clientPort(), method),
            method.getFullMethodName());
      }
    }
  }

  /** Without it, everyone who can open an encrypted connection could do everything. */
  @Test
  void encryptionAloneDoesNotMakeAPortSafe() throws Exception {
    NodeSettings open =
        clientTls(NodeSettings.DEFAULT.with(AddressSettings.CLIENT_ADDRESS, "0.0.0.0"))
            .with(TlsSettings.CLIENT_AUTHORITIES, file("n1/clients-ca.pem"));
    assertStarts(open, false, "--authentication");
    assertStarts(
        open.with(TlsSettings.CLIENT_CERTIFICATES, TlsSettings.ClientCertificates.OPTIONAL),
        false,
        "--client-certificates required");
    assertStarts(
        open.with(TlsSettings.CLIENT_CERTIFICATES, TlsSettings.ClientCertificates.REQUIRED),
        true,
        "");
    assertStarts(open.with(AccessSettings.AUTHENTICATION, PASSWORD), true, "");
    assertStarts(open.with(TlsSettings.INSECURE, true), true, "");
    assertStarts(open.with(AddressSettings.CLIENT_ADDRESS, "127.0.0.1"), true, "");
  }

  @Test
  void callersAreKnownByCertificatesOnlyIfTheyAreAskedForOne() throws Exception {
    NodeSettings silent =
        NodeSettings.DEFAULT.with(AccessSettings.AUTHENTICATION, Authentication.CERTIFICATE);
    NodeStartException refused =
        assertThrows(
            NodeStartException.class, () -> PortProtection.open(silent, new SystemClock()));
    assertTrue(String.valueOf(refused.getMessage()).contains("--client-certificates"));
    assertStarts(
        clientTls(silent)
            .with(TlsSettings.CLIENT_AUTHORITIES, file("n1/clients-ca.pem"))
            .with(TlsSettings.CLIENT_CERTIFICATES, TlsSettings.ClientCertificates.OPTIONAL),
        true,
        "");
  }

  private static NodeSettings clientTls(NodeSettings settings) {
    return settings
        .with(TlsSettings.CLIENT_CERTIFICATE, file("n1/server.pem"))
        .with(TlsSettings.CLIENT_KEY, file("n1/server.key"));
  }

  private static NodeSettings peerTls(NodeSettings settings) {
    return settings
        .with(TlsSettings.PEER_CERTIFICATE, file("n1/peer.pem"))
        .with(TlsSettings.PEER_KEY, file("n1/peer.key"))
        .with(TlsSettings.PEER_AUTHORITIES, file("n1/peers-ca.pem"));
  }

  private static void assertStarts(NodeSettings settings, boolean starts, String advice)
      throws Exception {
    if (starts) {
      assertEquals(
          !settings.get(TlsSettings.PEER_CERTIFICATE).isEmpty(),
          PortProtection.open(settings, new SystemClock()).peers().isPresent());
    } else {
      NodeStartException refused =
          assertThrows(
              NodeStartException.class, () -> PortProtection.open(settings, new SystemClock()));
      String message = String.valueOf(refused.getMessage());
      assertTrue(message.contains("--insecure") && message.contains(advice), message);
    }
  }

  @Test
  void filesThatBelongTogetherAreGivenTogether() throws Exception {
    for (Setting<String> alone :
        List.of(
            TlsSettings.CLIENT_CERTIFICATE,
            TlsSettings.CLIENT_KEY,
            TlsSettings.CLIENT_AUTHORITIES,
            TlsSettings.PEER_CERTIFICATE,
            TlsSettings.PEER_KEY,
            TlsSettings.PEER_AUTHORITIES)) {
      NodeSettings settings = NodeSettings.DEFAULT.with(alone, file("n1/peer.pem"));
      NodeStartException refused =
          assertThrows(
              NodeStartException.class, () -> PortProtection.open(settings, new SystemClock()));
      assertTrue(String.valueOf(refused.getMessage()).contains("is missing"), refused::toString);
    }
    NodeSettings asks =
        NodeSettings.DEFAULT.with(
            TlsSettings.CLIENT_CERTIFICATES, TlsSettings.ClientCertificates.REQUIRED);
    NodeStartException refused =
        assertThrows(NodeStartException.class, () -> PortProtection.open(asks, new SystemClock()));
    assertTrue(String.valueOf(refused.getMessage()).contains("needs encryption"));
  }

  @Test
  void aNodeIsWhomItsCertificateNames() throws Exception {
    NodeOptions options =
        NodeOptions.defaults()
            .withDataDirectory(data)
            .withFreePorts()
            .with(TlsSettings.DIRECTORY, file("n1"));
    try (Node node = Node.start(options)) {
      assertTrue(node.describe().contains("cluster 'Blog'"), node.describe());
      assertTrue(node.describe().contains("https://"), node.describe());
      assertEquals(first.hostId(), node.self().id());
    }
    assertRefused(
        options.with(TlsSettings.DIRECTORY, file("n2")), "belongs to node " + first.hostId());
    assertRefused(options.with(ClusterSettings.NAME, "Other"), "is of cluster 'Blog'");
    try (Node again = Node.start(options)) {
      assertEquals(first.hostId(), again.self().id());
    }
  }

  @Test
  void eachPortHasItsOwnServicesAlone() throws Exception {
    NodeOptions options = NodeOptions.defaults().withDataDirectory(data).withFreePorts();
    try (Node node = Node.start(options)) {
      assertEquals(
          Status.Code.UNIMPLEMENTED, call(node.clientPort(), PeerServiceGrpc.getExchangeMethod()));
      for (ServiceDescriptor service :
          List.of(
              ColumnStoreServiceGrpc.getServiceDescriptor(),
              SchemaServiceGrpc.getServiceDescriptor(),
              ClusterServiceGrpc.getServiceDescriptor(),
              NodeServiceGrpc.getServiceDescriptor(),
              ServerReflectionGrpc.getServiceDescriptor())) {
        for (MethodDescriptor<?, ?> method : service.getMethods()) {
          assertEquals(
              Status.Code.UNIMPLEMENTED,
              call(node.self().address().port(), method),
              method.getFullMethodName());
        }
      }
    }
  }

  private static <Q, A> Status.Code call(int port, MethodDescriptor<Q, A> method) throws Exception {
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create())
            .build();
    CompletableFuture<Status.Code> end = new CompletableFuture<>();
    try {
      ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              end.complete(status.getCode());
            }
          },
          new Metadata());
      call.request(1);
      call.halfClose();
      return end.get(30, TimeUnit.SECONDS);
    } finally {
      channel.shutdownNow();
    }
  }

  private static void assertRefused(NodeOptions options, String reason) {
    NodeStartException refused =
        assertThrows(NodeStartException.class, () -> Node.start(options).close());
    assertTrue(String.valueOf(refused.getMessage()).contains(reason), refused.getMessage());
  }
}
