package dev.colonnade.server.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.cluster.net.Verb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The contract on the simulated network, and what only a simulation can show. */
final class SimNetworkTest extends TransportContract {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final World<Idle> world = new World<>(1, World.Settings.DEFAULT, Idle::new);

  SimNetworkTest() {
    for (int i = 0; i < 3; i++) {
      world.add("n" + i, new PeerAddress("10.0.0." + (i + 1), 7000));
    }
  }

  /** A node that only has a transport. */
  private record Idle(SimNode.Seams seams) implements SimNode {
    @Override
    public CompletableFuture<Void> stop() {
      return CompletableFuture.completedFuture(null);
    }
  }

  @Override
  protected Transport transport(int node) {
    if (machine(node).state() == Machine.State.DOWN) {
      restart(node);
    }
    return machine(node).node().orElseThrow().seams().transport();
  }

  @Override
  protected Peer peer(int node) {
    return new Peer("node-" + node, machine(node).address());
  }

  @Override
  protected void kill(int node) {
    machine(node).kill();
  }

  @Override
  protected void restart(int node) {
    try {
      machine(node).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected void await(BooleanSupplier condition) {
    assertTrue(world.runUntil(condition, LIMIT));
  }

  private Machine<Idle> machine(int node) {
    return world.machines().get(node);
  }

  /** The answers to node 0. */
  private List<Frame> givenBack() {
    List<Frame> frames = new ArrayList<>();
    transport(0).receive(new GivenBack(frames::add));
    return frames;
  }

  private record GivenBack(Consumer<Frame> frames) implements FrameReceiver {
    @Override
    public void accept(Frame frame) {}

    @Override
    public void unsent(Frame frame) {
      frames.accept(frame);
    }
  }

  private Frame send() {
    Frame frame = frame(0, 1, Frame.FrameKind.REQUEST, Verb.MUTATION, new byte[] {1});
    assertTrue(transport(0).send(peer(1).address(), frame));
    return frame;
  }

  @Test
  void aMachineWithoutANodeGivesBackWhatCouldNotBeDelivered() {
    List<Frame> back = givenBack();
    transport(1);
    kill(1);
    Duration before = world.age();
    Frame frame = send();
    await(() -> !back.isEmpty());
    assertEquals(List.of(frame), back);
    assertTrue(world.age().minus(before).compareTo(Duration.ofMillis(50)) < 0, "" + world.age());
    assertEquals(1, world.network().figures().refused());
  }

  @Test
  void whatWasOnItsWayWhenTheNodeDiedIsLost() {
    List<Frame> back = givenBack();
    transport(1);
    send();
    kill(1);
    world.advance(LIMIT);
    assertEquals(List.of(), back);
  }

  @Test
  void noAnswerComesWithoutPowerOrOverABrokenLink() {
    List<Frame> back = givenBack();
    transport(1);
    machine(1).powerCut();
    send();
    world.advance(LIMIT);
    assertEquals(List.of(), back);
    restart(1);
    kill(1);
    world.network().cut(machine(0), machine(1));
    send();
    world.advance(LIMIT);
    world.network().heal();
    world.network().cut(machine(1), machine(0));
    send();
    world.advance(LIMIT);
    assertEquals(List.of(), back);
  }

  @Test
  void ofWhatWasDoubledNothingComesBackAsOneCopyMayArrive() {
    List<Frame> back = givenBack();
    transport(1);
    kill(1);
    world.network().faults(machine(0), machine(1), LinkFaults.FAIR.withDuplication(1_000));
    send();
    world.advance(LIMIT);
    assertEquals(List.of(), back);
  }

  @Test
  void aNodeThatStartedAgainHearsNothingOfWhatItsFormerSelfSent() {
    transport(1);
    kill(1);
    send();
    kill(0);
    List<Frame> back = givenBack();
    world.advance(LIMIT);
    assertEquals(List.of(), back);
  }
}
