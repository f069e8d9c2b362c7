package dev.colonnade.server.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.cluster.net.Verb;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What a {@link Transport} does on a network without faults, between nodes 0, 1 and 2, which run
 * from when they are first asked for. It promises less; but one that did less here would be of no
 * use.
 */
public abstract class TransportContract {

  /** The transport of a running node. */
  protected abstract Transport transport(int node);

  /** Who a node is, whether it runs or not. */
  protected abstract Peer peer(int node);

  /** Ends a node without notice. */
  protected abstract void kill(int node);

  /** Lets a killed node run again at its address; {@link #transport} gives its new transport. */
  protected abstract void restart(int node);

  /** Lets things happen until {@code condition} holds; fails if it never does. */
  protected abstract void await(BooleanSupplier condition);

  /** A message from one node to another. */
  protected final Frame frame(int from, int to, Frame.FrameKind kind, Verb verb, byte[] body) {
    return new Frame(kind, verb, peer(from), peer(to).id(), 7, 0, body);
  }

  /** What a node receives from now on. */
  protected final List<Frame> received(int node) {
    List<Frame> frames = Collections.synchronizedList(new ArrayList<>());
    transport(node).receive(frames::add);
    return frames;
  }

  @Test
  void aFrameArrivesAsItWasSent() {
    List<Frame> received = received(1);
    List<Frame> sent = new ArrayList<>();
    for (Frame.FrameKind kind : Frame.FrameKind.values()) {
      long number = Long.MIN_VALUE + kind.number();
      byte[] body = {1, 2, (byte) kind.number()};
      Frame frame =
          new Frame(kind, Verb.READ_ROW, peer(0), peer(1).id(), number, 60_000_000_000L, body);
      sent.add(frame);
      assertTrue(transport(0).send(peer(1).address(), frame));
    }
    await(() -> received.size() == sent.size());
    for (Frame frame : sent) {
      Frame came =
          received.stream().filter(f -> f.number() == frame.number()).findFirst().orElseThrow();
      assertEquals(frame.kind(), came.kind());
      assertEquals(frame.verb(), came.verb());
      assertEquals(frame.from(), came.from());
      assertEquals(frame.toId(), came.toId());
      assertArrayEquals(frame.body(), came.body());
      assertTrue(came.timeoutNanos() > 0 && came.timeoutNanos() <= frame.timeoutNanos());
    }
  }

  @Test
  void noTimeLimitStaysNone() {
    List<Frame> received = received(1);
    transport(0)
        .send(peer(1).address(), frame(0, 1, Frame.FrameKind.REQUEST, Verb.TOUCH, new byte[0]));
    await(() -> received.size() == 1);
    assertEquals(0, received.get(0).timeoutNanos());
    assertEquals(0, received.get(0).body().length);
  }

  @Test
  void everyVerbArrives() {
    List<Frame> received = received(1);
    for (Verb verb : Verb.values()) {
      transport(0)
          .send(peer(1).address(), frame(0, 1, Frame.FrameKind.ONE_WAY, verb, new byte[] {1}));
    }
    await(() -> received.size() == Verb.values().length);
    Set<Verb> verbs = received.stream().map(Frame::verb).collect(Collectors.toSet());
    assertEquals(EnumSet.allOf(Verb.class), verbs);
    Set<ChannelClass> channels =
        received.stream().map(f -> f.verb().channelClass()).collect(Collectors.toSet());
    assertEquals(EnumSet.allOf(ChannelClass.class), channels);
  }

  @Test
  void aLongBodyArrives() {
    List<Frame> received = received(1);
    byte[] body = new byte[3 << 20];
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) ((i * 31) >>> 3);
    }
    transport(0).send(peer(1).address(), frame(0, 1, Frame.FrameKind.REPLY, Verb.READ_RANGE, body));
    await(() -> received.size() == 1);
    assertArrayEquals(body, received.get(0).body());
  }

  @Test
  void aReceiverMaySend() {
    List<Frame> received = received(0);
    Transport answering = transport(1);
    answering.receive(
        frame ->
            answering.send(
                frame.from().address(),
                frame(1, 0, Frame.FrameKind.REPLY, frame.verb(), frame.body())));
    for (int i = 0; i < 100; i++) {
      byte[] body = {(byte) i};
      transport(0)
          .send(peer(1).address(), frame(0, 1, Frame.FrameKind.REQUEST, Verb.MUTATION, body));
    }
    await(() -> received.size() == 100);
  }

  @Test
  void nodesDoNotHearWhatIsMeantForOthers() {
    List<Frame> one = received(1);
    List<Frame> two = received(2);
    for (int i = 0; i < 10; i++) {
      transport(0)
          .send(peer(1).address(), frame(0, 1, Frame.FrameKind.ONE_WAY, Verb.HINT, new byte[] {1}));
      transport(0)
          .send(peer(2).address(), frame(0, 2, Frame.FrameKind.ONE_WAY, Verb.HINT, new byte[] {2}));
    }
    await(() -> one.size() == 10 && two.size() == 10);
    assertTrue(one.stream().allMatch(frame -> frame.body()[0] == 1));
    assertTrue(two.stream().allMatch(frame -> frame.body()[0] == 2));
  }

  @Test
  void sendingToAnAddressWithoutAListenerHarmsNoOtherPeer() {
    PeerAddress nobody = new PeerAddress(peer(1).address().host(), 1);
    List<Frame> received = received(1);
    for (int i = 0; i < 100; i++) {
      transport(0)
          .send(nobody, frame(0, 1, Frame.FrameKind.REQUEST, Verb.GOSSIP_SYN, new byte[] {1}));
    }
    transport(0)
        .send(
            peer(1).address(), frame(0, 1, Frame.FrameKind.REQUEST, Verb.GOSSIP_SYN, new byte[0]));
    await(() -> received.size() == 1);
  }

  @Test
  void aForgottenPeerIsReachedAgain() {
    List<Frame> received = received(1);
    Frame frame = frame(0, 1, Frame.FrameKind.ONE_WAY, Verb.MUTATION, new byte[] {1});
    transport(0).send(peer(1).address(), frame);
    await(() -> received.size() == 1);
    transport(0).forget(peer(1).address());
    transport(0).forget(peer(2).address());
    assertTrue(transport(0).send(peer(1).address(), frame));
    await(() -> received.size() == 2);
  }

  @Test
  void aPeerThatDiedAndCameBackIsReachedAgain() {
    List<Frame> received = received(1);
    Frame frame = frame(0, 1, Frame.FrameKind.ONE_WAY, Verb.MUTATION, new byte[] {1});
    transport(0).send(peer(1).address(), frame);
    await(() -> received.size() == 1);
    kill(1);
    // What is sent now is lost, wherever it is; the sender is not held up.
    for (int i = 0; i < 10; i++) {
      transport(0).send(peer(1).address(), frame);
    }
    restart(1);
    List<Frame> again = received(1);
    await(
        () -> {
          transport(0).send(peer(1).address(), frame);
          return !again.isEmpty();
        });
  }
}
