package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.internode.v1.Batch;
import dev.colonnade.internode.v1.ExchangeRequest;
import dev.colonnade.internode.v1.ExchangeResponse;
import dev.colonnade.internode.v1.PeerServiceGrpc;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.ChannelFigures;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.authority.OddCertificates;
import dev.colonnade.server.node.tls.CertificateWatch;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import dev.colonnade.server.node.tls.PeerTls;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may speak on the port for nodes when it is encrypted, over real sockets. */
@Timeout(60)
final class PeerTlsTest {

  private static final String CLUSTER = "Blog, 'ours' / ü";
  private static final String SOME_ID = "00112233445566778899aabbccddeeff";

  /** The frames with which an outsider does the most harm. */
  private enum Attack {
    HOLD_A_LIVE_NODE_DOWN(Verb.GOSSIP_SHUTDOWN),
    REMOVE_A_NODE(Verb.GOSSIP_ACK2),
    TRUNCATE_A_FAMILY(Verb.TRUNCATE),
    READ_THE_SCHEMA(Verb.SCHEMA_PULL),
    CHANGE_THE_SCHEMA(Verb.SCHEMA_PUSH),
    MAKE_AN_ADMINISTRATOR(Verb.ACCOUNT_PUSH),
    WRITE_A_ROW(Verb.MUTATION);

    private final Verb verb;

    Attack(Verb verb) {
      this.verb = verb;
    }
  }

  @TempDir private static Path folder;

  private static Path certs;
  private static Path others;
  private static CertifiedNode nodeA;
  private static CertifiedNode nodeB;
  private static CertifiedNode nodeC;

  private final List<GrpcTransport> transports = new ArrayList<>();
  private final Queue<Frame> received = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void makeCertificates() throws Exception {
    certs = folder.resolve("certs");
    others = folder.resolve("others");
    Duration day = Duration.ofDays(1);
    Instant now = Instant.now();
    List<String> hosts = List.of("127.0.0.1");
    CertificateDirectory ours = new CertificateDirectory(certs, now);
    ours.createAuthorities(CLUSTER, day.multipliedBy(100));
    nodeA = ours.createNode("a", hosts, Optional.empty(), day);
    nodeB = ours.createNode("b", hosts, Optional.empty(), day);
    nodeC = ours.createNode("c", hosts, Optional.empty(), day);
    ours.createClient("alice", day);
    CertifiedNode unused =
        new CertificateDirectory(certs, now.minus(day.multipliedBy(10)))
            .createNode("expired", hosts, Optional.empty(), day);
    unused =
        new CertificateDirectory(certs, now.plus(day.multipliedBy(10)))
            .createNode("early", hosts, Optional.empty(), day);
    OddCertificates.peer(
        certs, "another-cluster", Optional.of(new CertifiedNode("Another", SOME_ID).uri()));
    OddCertificates.peer(certs, "no-node", Optional.empty());
    CertificateDirectory theirs = new CertificateDirectory(others, now);
    theirs.createAuthorities(CLUSTER, day);
    unused = theirs.createNode("a", hosts, Optional.of(nodeA.hostId()), day);
  }

  @AfterEach
  void stop() {
    transports.forEach(GrpcTransport::close);
  }

  private static Optional<PeerTls> tls(String node) throws Exception {
    return tls(certs, node).peers();
  }

  private GrpcTransport start(Optional<PeerTls> tls) throws Exception {
    GrpcTransport transport =
        GrpcTransport.bind(
            new InetSocketAddress("127.0.0.1", 0), GrpcNodes.SETTINGS, NodeMemory.unbounded(), tls);
    transports.add(transport);
    return transport;
  }

  private static Peer open(GrpcTransport transport, String hostId) {
    Peer self = new Peer(hostId, new PeerAddress("127.0.0.1", transport.port()));
    transport.open(self, CLUSTER);
    return self;
  }

  private static Frame frame(Peer from, Frame.FrameKind kind, Verb verb) {
    return new Frame(kind, verb, from, "", 1, 0, new byte[] {1});
  }

  @Test
  void nodesOfOneClusterSpeakBothWays() throws Exception {
    GrpcTransport a = start(tls("a"));
    GrpcTransport b = start(tls("b"));
    Peer peerA = open(a, nodeA.hostId());
    Peer peerB = open(b, nodeB.hostId());
    Queue<Frame> answers = new ConcurrentLinkedQueue<>();
    a.receive(answers::add);
    b.receive(
        request -> b.send(peerA.address(), frame(peerB, Frame.FrameKind.REPLY, request.verb())));
    assertTrue(a.send(peerB.address(), frame(peerA, Frame.FrameKind.REQUEST, Verb.TOUCH)));
    GrpcNodes.await(() -> !answers.isEmpty());
    assertEquals(peerB, answers.element().from());
  }

  /** Those who have no certificate of a node of the cluster. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain text",
        "no certificate",
        "alice",
        "expired",
        "early",
        "another-cluster",
        "no-node",
        "another authority"
      })
  void outsidersAreNotHeard(String outsider) throws Exception {
    GrpcTransport a = start(tls("a"));
    Peer peerA = open(a, nodeA.hostId());
    a.receive(received::add);
    Status end = attack(channel(outsider, a.port()), nodeB.hostId(), CLUSTER);
    assertEquals(Status.Code.UNAVAILABLE, end.getCode(), end.toString());
    assertFalse(end.toString().contains("Blog"), end.toString());
    // A node is heard, and nothing of the outsider was before it.
    GrpcTransport b = start(tls("b"));
    Peer peerB = open(b, nodeB.hostId());
    b.receive(frame -> {});
    b.send(peerA.address(), frame(peerB, Frame.FrameKind.REQUEST, Verb.TOUCH));
    GrpcNodes.await(() -> !received.isEmpty());
    assertEquals(List.of(Verb.TOUCH), received.stream().map(Frame::verb).toList());
  }

  @ParameterizedTest
  @EnumSource(Attack.class)
  void anOutsiderDoesItsHarmOnlyWithoutEncryption(Attack attack) throws Exception {
    GrpcTransport open = start(Optional.empty());
    open(open, nodeA.hostId());
    open.receive(received::add);
    Status unused = attack(channel("plain text", open.port()), nodeB.hostId(), CLUSTER, attack);
    assertEquals(List.of(attack.verb), received.stream().map(Frame::verb).toList());
    assertEquals(nodeB.hostId(), received.element().from().id());
    received.clear();

    GrpcTransport closed = start(tls("a"));
    open(closed, nodeA.hostId());
    closed.receive(received::add);
    for (String outsider : List.of("plain text", "no certificate", "another authority")) {
      Status end = attack(channel(outsider, closed.port()), nodeB.hostId(), CLUSTER, attack);
      assertNotEquals(Status.Code.OK, end.getCode());
    }
    assertTrue(received.isEmpty());
  }

  @Test
  void aNodeIsNotHeardAsAnother() throws Exception {
    GrpcTransport a = start(tls("a"));
    open(a, nodeA.hostId());
    a.receive(received::add);
    for (String id : List.of(SOME_ID, nodeA.hostId(), "x")) {
      Status end = attack(channel("b", a.port()), id, CLUSTER);
      assertEquals(Status.Code.FAILED_PRECONDITION, end.getCode(), end.toString());
      assertTrue(String.valueOf(end.getDescription()).contains("names another node"));
    }
    assertTrue(received.isEmpty());
    Status end = attack(channel("b", a.port()), nodeB.hostId(), CLUSTER);
    assertEquals(Status.Code.OK, end.getCode(), end.toString());
    assertEquals(Attack.values().length, received.size());
  }

  @Test
  void aNodeThatIsCalledIsNotBelievedToBeAnother() throws Exception {
    GrpcTransport a = start(tls("a"));
    GrpcTransport b = start(tls("b"));
    Peer peerA = open(a, nodeA.hostId());
    Peer impostor = open(b, SOME_ID);
    a.receive(received::add);
    b.receive(frame -> b.send(peerA.address(), frame(impostor, Frame.FrameKind.REPLY, Verb.TOUCH)));
    Frame request = frame(peerA, Frame.FrameKind.REQUEST, Verb.TOUCH);
    // Taken until the welcome came, refused afterwards.
    GrpcNodes.await(() -> !a.send(impostor.address(), request));
    assertEquals(
        0, a.figures(impostor.address(), ChannelClass.DATA).map(ChannelFigures::connects).get());
    assertTrue(received.isEmpty());
  }

  /** A stream of a node that says where it listens, kept open. */
  private static final class ClaimedStream extends ClientCall.Listener<ExchangeResponse> {
    private final ManagedChannel channel;
    private final Queue<ExchangeResponse> heard = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Status> end = new CompletableFuture<>();

    ClaimedStream(int port, String node, Peer self) throws Exception {
      this(channel(node, port), self);
    }

    ClaimedStream(ManagedChannel channel, Peer self) {
      this.channel = channel;
      ClientCall<ExchangeRequest, ExchangeResponse> call =
          channel.newCall(PeerServiceGrpc.getExchangeMethod(), CallOptions.DEFAULT);
      call.start(this, new Metadata());
      call.request(1_000);
      call.sendMessage(
          ExchangeRequest.newBuilder()
              .setHello(PeerMessages.hello(self, CLUSTER, ChannelClass.DATA))
              .build());
    }

    @Override
    public void onMessage(ExchangeResponse message) {
      heard.add(message);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      end.complete(status);
      channel.shutdownNow();
    }
  }

  /** Node c has a certificate of its own, and says that it listens where node b does. */
  @Test
  void aNodeThatNamesTheAddressOfAnotherGetsNoneOfItsAnswers() throws Exception {
    GrpcTransport a = start(tls("a"));
    GrpcTransport b = start(tls("b"));
    Peer peerA = open(a, nodeA.hostId());
    Peer peerB = open(b, nodeB.hostId());
    Queue<Frame> answers = new ConcurrentLinkedQueue<>();
    b.receive(answers::add);
    a.receive(
        request ->
            a.send(
                request.from().address(),
                new Frame(
                    Frame.FrameKind.REPLY,
                    request.verb(),
                    peerA,
                    request.from().id(),
                    request.number(),
                    0,
                    new byte[] {2})));
    b.send(peerA.address(), frame(peerB, Frame.FrameKind.REQUEST, Verb.TOUCH));
    GrpcNodes.await(() -> answers.size() == 1);

    // Nothing speaks against it yet, since node a has not called the address.
    Peer claimed = new Peer(nodeC.hostId(), peerB.address());
    ClaimedStream claim = new ClaimedStream(a.port(), "c", claimed);
    GrpcNodes.await(() -> claim.heard.stream().anyMatch(ExchangeResponse::hasWelcome));
    for (int i = 2; i <= 20; i++) {
      int sent = i;
      b.send(peerA.address(), frame(peerB, Frame.FrameKind.REQUEST, Verb.TOUCH));
      GrpcNodes.await(() -> answers.size() == sent);
    }
    assertTrue(claim.heard.stream().noneMatch(ExchangeResponse::hasBatch));
    assertEquals(0, a.refusedStreams());

    // Node b answers there, so the stream of c ends, and another one is refused.
    a.send(peerB.address(), frame(peerA, Frame.FrameKind.ONE_WAY, Verb.TOUCH));
    Status end = claim.end.get(30, TimeUnit.SECONDS);
    assertEquals(Status.Code.UNAVAILABLE, end.getCode(), end.toString());
    assertEquals(1, a.refusedStreams());
    for (Peer each : List.of(claimed, new Peer(nodeC.hostId(), peerA.address()))) {
      Status refused = new ClaimedStream(a.port(), "c", each).end.get(30, TimeUnit.SECONDS);
      assertEquals(Status.Code.FAILED_PRECONDITION, refused.getCode(), refused.toString());
      assertTrue(
          String.valueOf(refused.getDescription()).contains("another node answers"),
          refused.toString());
    }
    assertEquals(3, a.refusedStreams());
    assertTrue(claim.heard.stream().noneMatch(ExchangeResponse::hasBatch));

    // When b has stopped, c may have its address, as a node that replaces it does.
    b.close();
    GrpcNodes.await(
        () ->
            !a.figures(peerB.address(), ChannelClass.DATA)
                .map(ChannelFigures::connected)
                .orElse(false));
    ClaimedStream replacing = new ClaimedStream(a.port(), "c", claimed);
    GrpcNodes.await(() -> replacing.heard.stream().anyMatch(ExchangeResponse::hasWelcome));
    replacing.channel.shutdownNow();
  }

  /** The address of node b leads to node c, which has a certificate too. */
  @Test
  void whatIsMeantForANodeIsNotSentToAnotherThatAnswersAtItsAddress() throws Exception {
    GrpcTransport a = start(tls("a"));
    GrpcTransport c = start(tls("c"));
    Peer peerA = open(a, nodeA.hostId());
    Peer peerC = open(c, nodeC.hostId());
    Queue<Frame> unsent = new ConcurrentLinkedQueue<>();
    a.receive(
        new FrameReceiver() {
          @Override
          public void accept(Frame frame) {}

          @Override
          public void unsent(Frame frame) {
            unsent.add(frame);
          }
        });
    c.receive(received::add);
    byte[] body = {1};
    for (String id : List.of(nodeB.hostId(), nodeC.hostId(), nodeB.hostId(), "")) {
      assertTrue(
          a.send(
              peerC.address(),
              new Frame(Frame.FrameKind.REQUEST, Verb.MUTATION, peerA, id, 7, 0, body)));
    }
    GrpcNodes.await(() -> received.size() + unsent.size() == 4);
    assertEquals(List.of(nodeC.hostId(), ""), received.stream().map(Frame::toId).toList());
    assertEquals(
        List.of(nodeB.hostId(), nodeB.hostId()), unsent.stream().map(Frame::toId).toList());
  }

  /** Nodes of a cluster of their own, one of whose keys is stolen and then revoked. */
  private final class Theft {
    private final CertificateDirectory directory;
    private final CertifiedNode healthy;
    private final CertifiedNode stolen;
    private final NodeTls tls;
    private final CertificateWatch watch;
    private final Health health = new Health();
    private final GrpcTransport a;
    private final Peer peerA;

    Theft(Path home) throws Exception {
      directory = new CertificateDirectory(home, Instant.now());
      directory.createAuthorities(CLUSTER, Duration.ofDays(2));
      List<String> hosts = List.of("127.0.0.1");
      Duration day = Duration.ofDays(1);
      CertifiedNode self = directory.createNode("a", hosts, Optional.empty(), day);
      stolen = directory.createNode("b", hosts, Optional.empty(), day);
      healthy = directory.createNode("c", hosts, Optional.empty(), day);
      tls = tls(home, "a");
      watch =
          new CertificateWatch(
              tls.ports(), Duration.ZERO, new SystemClock(), health, new PrometheusRegistry());
      a = start(tls.peers());
      peerA = open(a, self.hostId());
      a.receive(received::add);
    }

    void revoke() throws Exception {
      var unused = directory.revoke("b", Duration.ofDays(1));
      watch.lookAtRevocations();
      assertEquals(List.of(), health.report().problems());
    }
  }

  @Test
  void aStolenKeyIsServedAndThenCutAndRefusedWhenItIsRevoked(@TempDir Path home) throws Exception {
    Theft theft = new Theft(home);
    Peer thief = new Peer(theft.stolen.hostId(), new PeerAddress("127.0.0.1", 1));
    ClaimedStream served = new ClaimedStream(channel(home, "b", theft.a.port()), thief);
    GrpcNodes.await(() -> served.heard.stream().anyMatch(ExchangeResponse::hasWelcome));
    theft.watch.lookAtRevocations();
    assertEquals(
        Status.Code.OK, attack(channel(home, "b", theft.a.port()), thief.id(), CLUSTER).getCode());
    assertEquals(Attack.values().length, received.size(), "it does what a node may do");
    assertFalse(served.end.isDone());
    received.clear();

    theft.revoke();
    assertEquals(
        Status.Code.UNAVAILABLE, served.end.get(30, TimeUnit.SECONDS).getCode(), "it is cut");
    Status again = attack(channel(home, "b", theft.a.port()), thief.id(), CLUSTER);
    assertEquals(Status.Code.UNAVAILABLE, again.getCode(), again.toString());
    assertTrue(received.isEmpty());

    GrpcTransport c = start(tls(home, "c").peers());
    Peer peerC = open(c, theft.healthy.hostId());
    c.receive(frame -> {});
    c.send(theft.peerA.address(), frame(peerC, Frame.FrameKind.REQUEST, Verb.TOUCH));
    GrpcNodes.await(() -> !received.isEmpty());
    assertEquals(peerC, received.element().from());
  }

  @Test
  void aStolenKeyThatAnswersIsCutAndNotCalledAgainWhenItIsRevoked(@TempDir Path home)
      throws Exception {
    Theft theft = new Theft(home);
    GrpcTransport thief = start(tls(home, "b").peers());
    Peer peerB = open(thief, theft.stolen.hostId());
    Queue<Frame> taken = new ConcurrentLinkedQueue<>();
    thief.receive(taken::add);
    Frame request = frame(theft.peerA, Frame.FrameKind.REQUEST, Verb.TOUCH);
    assertTrue(theft.a.send(peerB.address(), request));
    GrpcNodes.await(() -> taken.size() == 1);

    theft.revoke();
    GrpcNodes.await(
        () -> !theft.a.figures(peerB.address(), ChannelClass.DATA).orElseThrow().connected());
    // Frames are taken for a new connection, which does not come about.
    for (int i = 0; i < 3; i++) {
      GrpcNodes.await(() -> theft.a.send(peerB.address(), request));
      GrpcNodes.await(() -> !theft.a.send(peerB.address(), request));
    }
    assertEquals(1, taken.size());
    assertEquals(1, theft.a.figures(peerB.address(), ChannelClass.DATA).orElseThrow().connects());

    GrpcTransport c = start(tls(home, "c").peers());
    Peer peerC = open(c, theft.healthy.hostId());
    Queue<Frame> ofC = new ConcurrentLinkedQueue<>();
    c.receive(ofC::add);
    assertTrue(theft.a.send(peerC.address(), request));
    GrpcNodes.await(() -> ofC.size() == 1);
  }

  private static NodeTls tls(Path home, String node) throws Exception {
    return NodeTls.of(
        NodeSettings.DEFAULT.with(TlsSettings.DIRECTORY, home.resolve(node).toString()),
        new SystemClock());
  }

  @Test
  void aStrangerIsNotToldTheNameOfTheCluster() throws Exception {
    GrpcTransport open = start(Optional.empty());
    open(open, nodeA.hostId());
    open.receive(received::add);
    Status end = attack(channel("plain text", open.port()), nodeB.hostId(), "a guess");
    assertEquals(Status.Code.FAILED_PRECONDITION, end.getCode());
    assertTrue(String.valueOf(end.getDescription()).contains("another cluster"), end.toString());
    assertFalse(end.toString().contains("Blog"), end.toString());
    assertTrue(received.isEmpty());
  }

  private static ManagedChannel channel(String who, int port) throws Exception {
    return channel(certs, who, port);
  }

  private static ManagedChannel channel(Path certs, String who, int port) throws Exception {
    NettyChannelBuilder channel = NettyChannelBuilder.forAddress("127.0.0.1", port);
    if (who.equals("plain text")) {
      return channel.usePlaintext().build();
    }
    SslContextBuilder tls =
        GrpcSslContexts.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE);
    switch (who) {
      case "no certificate" -> {}
      case "alice" -> with(tls, certs.resolve(who), "client");
      case "another authority" -> with(tls, others.resolve("a"), "peer");
      default -> with(tls, certs.resolve(who), "peer");
    }
    return channel.sslContext(tls.build()).build();
  }

  private static void with(SslContextBuilder tls, Path home, String name) {
    SslContextBuilder unused =
        tls.keyManager(home.resolve(name + ".pem").toFile(), home.resolve(name + ".key").toFile());
  }

  /** Says it is that node, and sends a frame of each kind. */
  private static Status attack(
      ManagedChannel channel, String hostId, String cluster, Attack... attacks) throws Exception {
    Peer self = new Peer(hostId, new PeerAddress("127.0.0.1", 1));
    CompletableFuture<Status> end = new CompletableFuture<>();
    ClientCall<ExchangeRequest, ExchangeResponse> call =
        channel.newCall(PeerServiceGrpc.getExchangeMethod(), CallOptions.DEFAULT);
    try {
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              end.complete(status);
            }
          },
          new Metadata());
      call.request(100);
      call.sendMessage(
          ExchangeRequest.newBuilder()
              .setHello(PeerMessages.hello(self, cluster, ChannelClass.DATA))
              .build());
      Batch.Builder batch = Batch.newBuilder();
      for (Attack attack : attacks.length == 0 ? Attack.values() : attacks) {
        batch.addFrames(
            dev.colonnade.internode.v1.Frame.newBuilder()
                .setKindValue(Frame.FrameKind.ONE_WAY.number())
                .setVerb(attack.verb.number())
                .setBody(ByteString.copyFromUtf8("x")));
      }
      call.sendMessage(ExchangeRequest.newBuilder().setBatch(batch).build());
      call.halfClose();
      return end.get(30, TimeUnit.SECONDS);
    } finally {
      channel.shutdownNow();
    }
  }
}
