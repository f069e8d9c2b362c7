package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.UnknownFieldSet;
import dev.colonnade.internode.v1.Batch;
import dev.colonnade.internode.v1.ExchangeRequest;
import dev.colonnade.internode.v1.ExchangeResponse;
import dev.colonnade.internode.v1.Hello;
import dev.colonnade.internode.v1.PeerServiceGrpc;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.ChannelFigures;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.sim.TransportContract;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract over real sockets, and what only real sockets can show. */
final class GrpcTransportTest extends TransportContract {
  private final GrpcNodes nodes = new GrpcNodes();

  @Override
  protected Transport transport(int node) {
    return nodes.transport(node);
  }

  @Override
  protected Peer peer(int node) {
    return nodes.peer(node);
  }

  @Override
  protected void kill(int node) {
    nodes.stop(node);
  }

  @Override
  protected void restart(int node) {
    nodes.transport(node);
  }

  @Override
  protected void await(BooleanSupplier condition) {
    GrpcNodes.await(condition);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private ChannelFigures figures(int of, int about, ChannelClass channel) {
    return nodes.transport(of).figures().stream()
        .filter(f -> f.channel() == channel && f.peer().equals(peer(about).address()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatWaitsGoesOutTogether() {
    AtomicInteger received = new AtomicInteger();
    transport(1).receive(frame -> received.incrementAndGet());
    Frame frame = frame(0, 1, Frame.FrameKind.REQUEST, Verb.MUTATION, new byte[1_000]);
    for (int i = 0; i < 10_000; i++) {
      assertTrue(transport(0).send(peer(1).address(), frame));
    }
    await(() -> received.get() == 10_000);
    ChannelFigures sent = figures(0, 1, ChannelClass.DATA);
    assertEquals(10_000, sent.sentFrames());
    assertTrue(sent.sentBatches() < 2_500, sent.sentBatches() + " batches of 10,000 messages");
    assertEquals(10_000_000, sent.sentBytes());
    assertEquals(1, sent.connects());
    assertEquals(0, sent.queuedFrames());
    assertEquals(0, sent.queuedBytes());
    ChannelFigures came = figures(1, 0, ChannelClass.DATA);
    assertEquals(10_000, came.receivedFrames());
    assertEquals(sent.sentBatches(), came.receivedBatches());
    assertEquals(10_000_000, came.receivedBytes());
  }

  @Test
  void aFullQueueDropsInsteadOfSwelling() throws IOException {
    GrpcTransport sender =
        nodes.transport(
            0, "test", GrpcNodes.SETTINGS.withData(new GrpcTransportSettings.Queue(100, 50_000)));
    // Accepts connections, because the operating system does, and never sends anything.
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
      PeerAddress address = new PeerAddress("127.0.0.1", silent.getLocalPort());
      Frame small =
          new Frame(Frame.FrameKind.REQUEST, Verb.MUTATION, peer(0), "", 1, 0, new byte[10]);
      int taken = 0;
      for (int i = 0; i < 1_000; i++) {
        taken += sender.send(address, small) ? 1 : 0;
      }
      assertEquals(100, taken);
      Frame large =
          new Frame(
              Frame.FrameKind.REQUEST, Verb.STREAM_CHUNK, peer(0), "", 1, 0, new byte[5 << 20]);
      taken = 0;
      for (int i = 0; i < 10; i++) {
        taken += sender.send(address, large) ? 1 : 0;
      }
      assertEquals(3, taken, "bodies of 5 MiB in a queue of 16 MiB");
      long dropped = sender.figures().stream().mapToLong(ChannelFigures::droppedFrames).sum();
      assertEquals(900 + 7, dropped);
      sender.forget(address);
      assertTrue(sender.send(address, small));
    }
  }

  @Test
  void framesThatWaitedForTooLongAreNotSent() {
    List<Frame> received = received(1);
    Frame late =
        new Frame(Frame.FrameKind.REQUEST, Verb.MUTATION, peer(0), "", 1, 1, new byte[] {1});
    Frame timely =
        new Frame(Frame.FrameKind.REQUEST, Verb.MUTATION, peer(0), "", 2, 0, new byte[] {2});
    assertTrue(transport(0).send(peer(1).address(), late));
    assertTrue(transport(0).send(peer(1).address(), timely));
    await(() -> !received.isEmpty());
    assertEquals(2, received.get(0).number());
    assertEquals(1, figures(0, 1, ChannelClass.DATA).droppedFrames());
  }

  @Test
  void answersTakeTheStreamOfTheQuestion() {
    List<Frame> answers = received(0);
    Transport answering = transport(1);
    answering.receive(
        frame ->
            answering.send(
                frame.from().address(),
                frame(1, 0, Frame.FrameKind.REPLY, frame.verb(), new byte[1])));
    transport(0)
        .send(peer(1).address(), frame(0, 1, Frame.FrameKind.REQUEST, Verb.TOUCH, new byte[1]));
    await(() -> answers.size() == 1);
    assertEquals(peer(1), answers.get(0).from());
    assertEquals(0, figures(1, 0, ChannelClass.DATA).connects());
    assertEquals(1, figures(0, 1, ChannelClass.DATA).connects());
  }

  @Test
  void aNodeOfAnotherClusterIsRefused() {
    List<Frame> received = received(1);
    GrpcTransport stranger = nodes.transport(2, "another", GrpcNodes.SETTINGS);
    stranger.receive(frame -> {});
    Frame frame = frame(2, 1, Frame.FrameKind.ONE_WAY, Verb.GOSSIP_SYN, new byte[] {1});
    // Accepted until the refusal came, refused afterwards.
    await(() -> !stranger.send(peer(1).address(), frame));
    assertTrue(received.isEmpty());
    assertEquals(0, figures(2, 1, ChannelClass.GOSSIP).connects());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aNodeOfAnotherVersionOfTheProtocolIsRefusedAndToldWhy(int version) {
    List<Frame> received = received(1);
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress(
                "127.0.0.1", peer(1).address().port(), InsecureChannelCredentials.create())
            .build();
    try {
      Hello other =
          PeerMessages.hello(peer(0), "test", ChannelClass.GOSSIP).toBuilder()
              .setProtocolVersion(version)
              .build();
      StatusRuntimeException refused =
          assertThrows(
              StatusRuntimeException.class,
              () ->
                  ClientCalls.blockingServerStreamingCall(
                          channel,
                          PeerServiceGrpc.getExchangeMethod().toBuilder()
                              .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
                              .build(),
                          CallOptions.DEFAULT,
                          ExchangeRequest.newBuilder().setHello(other).build())
                      .next());
      assertEquals(Status.Code.FAILED_PRECONDITION, refused.getStatus().getCode());
      String reason = String.valueOf(refused.getStatus().getDescription());
      assertTrue(reason.contains("speaks version " + version + " of the protocol"), reason);
      assertTrue(reason.contains("this node version 2"), reason);
      assertTrue(received.isEmpty());
    } finally {
      channel.shutdownNow();
    }
  }

  /** What a stranger says of itself is logged: as one short line, without control characters. */
  @Test
  void aStrangersTextIsNoLineOfItsOwnInTheLog() {
    String escape = String.valueOf((char) 27);
    String forged = "n1" + "\r\n" + "ERROR all is lost" + escape + "[2J";
    String shown = InboundStream.printable(forged);
    assertEquals("n1??ERROR all is lost?[2J", shown);
    assertTrue(InboundStream.printable("x".repeat(1 << 20)).length() < 400);
  }

  @Test
  void aPeerThatAnswersInAnotherVersionOfTheProtocolIsNotTakenForConnected() throws Exception {
    AtomicInteger hellos = new AtomicInteger();
    PeerServiceGrpc.PeerServiceImplBase newer =
        new PeerServiceGrpc.PeerServiceImplBase() {
          @Override
          public StreamObserver<ExchangeRequest> exchange(
              StreamObserver<ExchangeResponse> answers) {
            return new Ignoring<ExchangeRequest>() {
              @Override
              public void onNext(ExchangeRequest request) {
                if (request.hasHello()) {
                  hellos.incrementAndGet();
                  answers.onNext(
                      ExchangeResponse.newBuilder()
                          .setWelcome(
                              PeerMessages.welcome(peer(1), "test").toBuilder()
                                  .setProtocolVersion(3))
                          .build());
                }
              }
            };
          }
        };
    Server server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(newer)
            .build()
            .start();
    try {
      PeerAddress address = new PeerAddress("127.0.0.1", server.getPort());
      Frame frame = frame(0, 1, Frame.FrameKind.ONE_WAY, Verb.GOSSIP_SYN, new byte[] {1});
      await(() -> !transport(0).send(address, frame));
      assertTrue(hellos.get() > 0);
      assertEquals(
          0,
          nodes.transport(0).figures().stream()
              .filter(figures -> figures.peer().equals(address))
              .mapToLong(ChannelFigures::connects)
              .sum());
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void whatANewerNodeSaysAndThisOneDoesNotKnowIsPassedOver() throws Exception {
    List<Frame> received = received(1);
    ManagedChannel channel =
        Grpc.newChannelBuilderForAddress(
                "127.0.0.1", peer(1).address().port(), InsecureChannelCredentials.create())
            .build();
    UnknownFieldSet added =
        UnknownFieldSet.newBuilder()
            .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();
    Frame frame = frame(0, 1, Frame.FrameKind.ONE_WAY, Verb.GOSSIP_SYN, new byte[] {7});
    try {
      StreamObserver<ExchangeRequest> stream =
          PeerServiceGrpc.newStub(channel).exchange(new Ignoring<>());
      stream.onNext(
          ExchangeRequest.newBuilder()
              .setHello(
                  PeerMessages.hello(peer(0), "test", ChannelClass.GOSSIP).toBuilder()
                      .setUnknownFields(added))
              .build());
      stream.onNext(
          ExchangeRequest.newBuilder()
              .setBatch(
                  Batch.newBuilder()
                      .addFrames(PeerMessages.toMessage(frame, 0).toBuilder().setVerb(60_000))
                      .addFrames(
                          PeerMessages.toMessage(frame, 0).toBuilder().setUnknownFields(added)))
              .build());
      await(() -> !received.isEmpty());
      assertEquals(1, received.size(), "a verb that this node does not know");
      assertArrayEquals(new byte[] {7}, received.get(0).body());
    } finally {
      channel.shutdownNow();
    }
  }

  /** Takes what comes. */
  private static class Ignoring<T> implements StreamObserver<T> {
    @Override
    public void onNext(T message) {}

    @Override
    public void onError(Throwable broken) {}

    @Override
    public void onCompleted() {}
  }

  @Test
  void aPeerThatIsNotOpenYetIsReachedLater() throws Exception {
    GrpcTransport starting =
        GrpcTransport.bind(new InetSocketAddress("127.0.0.1", 0), GrpcNodes.SETTINGS);
    try (starting) {
      Peer late = new Peer("late", new PeerAddress("127.0.0.1", starting.port()));
      Frame frame =
          new Frame(
              Frame.FrameKind.ONE_WAY, Verb.GOSSIP_SYN, peer(0), "late", 0, 0, new byte[] {1});
      await(() -> !transport(0).send(late.address(), frame));
      AtomicInteger received = new AtomicInteger();
      starting.open(late, "test");
      starting.receive(came -> received.incrementAndGet());
      await(
          () -> {
            transport(0).send(late.address(), frame);
            return received.get() > 0;
          });
    }
  }

  @Test
  void whatWasSentLastGoesOutBeforeTheStop() {
    AtomicInteger received = new AtomicInteger();
    transport(1).receive(frame -> received.incrementAndGet());
    Frame frame = frame(0, 1, Frame.FrameKind.ONE_WAY, Verb.MUTATION, new byte[1_000]);
    for (int i = 0; i < 5_000; i++) {
      assertTrue(transport(0).send(peer(1).address(), frame));
    }
    Transport stopped = transport(0);
    nodes.stop(0);
    await(() -> received.get() == 5_000);
    assertFalse(stopped.send(peer(1).address(), frame));
  }
}
