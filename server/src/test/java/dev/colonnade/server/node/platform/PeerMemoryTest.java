package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What nodes may send before it has arrived completely, on all connections together. */
final class PeerMemoryTest {

  private static final int MIB = 1 << 20;
  private static final int STRANGERS_BYTES = 4 * MIB;
  private static final int MESSAGE_BYTES = 4 * MIB;

  private final MemoryPool pool = new MemoryPool(8L * STRANGERS_BYTES, 0);
  private final PeerMemory memory = new PeerMemory(pool, MESSAGE_BYTES);
  private final PeerIntake.Factory streams = new PeerIntake.Factory(memory);
  private final List<GrpcTransport> transports = new ArrayList<>();
  private int ended;

  @AfterEach
  void close() {
    transports.forEach(GrpcTransport::close);
  }

  private PeerIntake stream(String nodeId) {
    ServerStreamTracer tracer = streams.newServerStreamTracer("Exchange", new Metadata());
    PeerIntake intake = (PeerIntake) tracer;
    intake.onRefusal(() -> ended++);
    if (!nodeId.isEmpty()) {
      intake.identify(nodeId);
    }
    return intake;
  }

  @Test
  void strangersShareAnEighthHoweverManyTheyAre() {
    memory.recognise("member"::equals);
    List<PeerIntake> strangers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      PeerIntake stranger = stream(i % 2 == 0 ? "" : "stranger" + i);
      stranger.inboundWireSize(MIB);
      strangers.add(stranger);
    }
    assertEquals(100 - 4, ended);
    assertEquals(100 - 4, pool.refusals(MemoryUse.PEERS_RECEIVING));

    strangers.forEach(stranger -> stranger.streamClosed(Status.CANCELLED));
    assertEquals(0, pool.usedBytes());
    PeerIntake later = stream("later");
    later.inboundWireSize(MIB);
    assertEquals(100 - 4, ended, "there is room again");
  }

  @Test
  void aMessageThatArrivesCompletelyMakesRoomForTheNext() {
    PeerIntake stranger = stream("stranger");
    for (int i = 0; i < 100; i++) {
      stranger.inboundWireSize(3 * MIB);
      assertEquals(3 * MIB, pool.usedBytes(MemoryUse.PEERS_RECEIVING));
      stranger.inboundMessageRead(i, 3 * MIB, 3 * MIB);
    }
    assertEquals(0, ended);
    assertEquals(0, pool.usedBytes());
  }

  @Test
  void membersAreNotHeldUpByStrangersAndShareHalf() {
    memory.recognise(id -> id.startsWith("member"));
    PeerIntake stranger = stream("stranger");
    stranger.inboundWireSize(5 * MIB);
    assertEquals(1, ended);
    stranger.streamClosed(Status.CANCELLED);
    List<PeerIntake> members = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      PeerIntake member = stream("member" + i);
      member.inboundWireSize(MESSAGE_BYTES);
      members.add(member);
    }
    assertEquals(1, ended);
    PeerIntake tooMany = stream("member4");
    tooMany.inboundWireSize(1);
    tooMany.inboundWireSize(1);
    assertEquals(2, ended, "told once");
    tooMany.streamClosed(Status.CANCELLED);
    members.forEach(member -> member.streamClosed(Status.OK));
    assertEquals(0, pool.usedBytes());
  }

  @Test
  void aStrangersStreamIsEndedAndAMembersMessageArrives() throws IOException {
    NodeMemory small = NodeMemory.of(MemoryPlan.forHeap(1L << 30), pool, pool);
    GrpcTransport receiver = bind(0, small);
    AtomicInteger bytes = new AtomicInteger();
    receiver.receive(frame -> bytes.addAndGet(frame.body().length));
    receiver.recognise("node-1"::equals);
    PeerAddress to = new PeerAddress("127.0.0.1", receiver.port());
    GrpcTransport stranger = bind(2, NodeMemory.unbounded());
    GrpcTransport member = bind(1, NodeMemory.unbounded());

    assertTrue(stranger.send(to, frame(2, 6 * MIB)));
    GrpcNodes.await(() -> pool.refusals(MemoryUse.PEERS_RECEIVING) > 0);
    assertEquals(0, bytes.get());

    assertTrue(member.send(to, frame(1, 6 * MIB)));
    GrpcNodes.await(() -> bytes.get() == 6 * MIB);
    GrpcNodes.await(() -> pool.usedBytes(MemoryUse.PEERS_RECEIVING) == 0);
  }

  private GrpcTransport bind(int node, NodeMemory nodeMemory) throws IOException {
    GrpcTransport transport =
        GrpcTransport.bind(
            new InetSocketAddress("127.0.0.1", 0),
            GrpcNodes.SETTINGS,
            nodeMemory,
            Optional.empty());
    transports.add(transport);
    transport.open(peer(node, transport.port()), "test");
    transport.receive(frame -> {});
    return transport;
  }

  private static Peer peer(int node, int port) {
    return new Peer("node-" + node, new PeerAddress("127.0.0.1", port));
  }

  private static Frame frame(int from, int bytes) {
    return new Frame(
        Frame.FrameKind.ONE_WAY, Verb.STREAM_CHUNK, peer(from, 1), "", 1, 0, new byte[bytes]);
  }
}
