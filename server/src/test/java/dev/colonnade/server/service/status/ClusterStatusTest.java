package dev.colonnade.server.service.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.sim.MemoryNetwork;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whom a node asks for figures, how often, and what it shows of those that do not answer. */
final class ClusterStatusTest {

  private static final Duration POLL = Duration.ofSeconds(2);
  private static final NodeFigures FIGURES = FiguresSamples.of(3, 1);

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock);
  private final List<CompletableFuture<byte[]>> asked = new ArrayList<>();
  private final List<String> askedIds = new ArrayList<>();
  private final List<byte[]> bodies = new ArrayList<>();
  private Topology topology = ring(1);
  private final PeerClient peers =
      (to, verb, body, deadlineNanos) -> {
        assertEquals(Verb.FIGURES, verb);
        assertEquals(clock.monotonicNanos() + ClusterStatus.LIMIT.toNanos(), deadlineNanos);
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        asked.add(answer);
        askedIds.add(to.id());
        bodies.add(body);
        return answer;
      };
  private final ClusterStatus status = new ClusterStatus(() -> topology, peers, clock, scheduler);

  /** A ring of a node n0, and others of which those of the numbers are down. */
  private static Topology ring(int others, Integer... down) {
    List<Topology.Place> places = new ArrayList<>();
    for (int i = 0; i <= others; i++) {
      byte[] token = {(byte) (i >> 8), (byte) i, 1};
      RingNode node = new RingNode("n" + i, "h" + i, 7000, 9160, "dc1", "r1", List.of(token));
      boolean alive = !List.of(down).contains(i);
      places.add(new Topology.Place(node, Topology.RingState.NORMAL, List.of(), alive));
    }
    return Topology.of(places.get(0).node(), places);
  }

  private ClusterStatus.OfNode lookAt(String nodeId) {
    return status.look().nodes().stream()
        .filter(node -> node.nodeId().equals(nodeId))
        .findFirst()
        .orElseThrow();
  }

  private void answerAll() {
    List<CompletableFuture<byte[]>> open = List.copyOf(asked);
    asked.clear();
    open.forEach(each -> each.complete(NodeFiguresCodec.encode(FIGURES, 100)));
  }

  @Test
  void nobodyIsAskedBeforeSomebodyLooksAndAllWhoLookShareTheAnswers() {
    topology = ring(3);
    assertEquals(0, asked.size());
    assertEquals(3, status.look().nodes().size());
    for (int i = 0; i < 20; i++) {
      status.look();
    }
    assertEquals(List.of("n1", "n2", "n3"), askedIds);
    answerAll();
    clock.advance(Duration.ofMillis(700));
    for (ClusterStatus.OfNode node : status.look().nodes()) {
      assertEquals(Optional.of(FIGURES), node.figures());
      assertEquals(Duration.ofMillis(700), node.age());
      assertEquals(Optional.empty(), node.failure());
    }
    assertEquals(3, askedIds.size(), "a second look within the period asks nobody");
    clock.advance(POLL);
    assertEquals(3, askedIds.size(), "nor does time alone");
    status.look();
    assertEquals(6, askedIds.size());
  }

  @Test
  void aRoundBeginsAfterTheLastOneEnded() {
    topology = ring(2);
    status.look();
    clock.advance(POLL.multipliedBy(5));
    status.look();
    assertEquals(2, askedIds.size(), "two answers are still awaited");
    answerAll();
    status.look();
    assertEquals(4, askedIds.size());
  }

  @Test
  void aLargeRingIsAskedAFewNodesAtATimeAndLessOften() throws Exception {
    topology = ring(300);
    ClusterStatus.View view = status.look();
    assertEquals(ClusterStatus.NODES_MAX, view.nodes().size());
    assertEquals(45, view.leftOut());
    assertEquals(Duration.ofMillis(25_500), view.period());
    int most = 0;
    int rounds = 0;
    while (!asked.isEmpty()) {
      most = Math.max(most, asked.size());
      answerAll();
      rounds++;
    }
    assertEquals(16, most);
    assertEquals(16, rounds);
    assertEquals(ClusterStatus.NODES_MAX, askedIds.size());
    assertEquals(5, NodeFiguresCodec.decodeRequest(bodies.get(0)), "few families of each");
    clock.advance(Duration.ofSeconds(25));
    status.look();
    assertEquals(ClusterStatus.NODES_MAX, askedIds.size(), "the next round is not due");
  }

  @Test
  void whoDoesNotAnswerIsShownWithOldFiguresAndTheirAge() {
    topology = ring(1);
    status.look();
    answerAll();
    clock.advance(POLL);
    status.look();
    asked.get(0).completeExceptionally(new PeerFailure(PeerFailure.Code.TIMED_OUT, "late"));
    clock.advance(POLL);
    ClusterStatus.OfNode late = lookAt("n1");
    assertEquals(Optional.of(FIGURES), late.figures());
    assertEquals(POLL.multipliedBy(2), late.age());
    assertEquals(Optional.of("no answer in 2 s"), late.failure());

    asked.get(1).complete(new byte[] {1});
    clock.advance(POLL);
    assertTrue(lookAt("n1").failure().orElse("").contains("cannot be read"));
    asked.clear();
    topology = ring(1, 1);
    clock.advance(POLL);
    ClusterStatus.OfNode unread = lookAt("n1");
    assertEquals(Optional.of(FIGURES), unread.figures());
  }

  @Test
  void aNodeThatIsDownIsNotAsked() {
    topology = ring(2, 2);
    status.look();
    assertEquals(List.of("n1"), askedIds);
    ClusterStatus.OfNode down = lookAt("n2");
    assertEquals(Optional.of("it is down"), down.failure());
    assertEquals(Optional.empty(), down.figures());
    assertEquals(Duration.ZERO, down.age());
  }

  @Test
  void whatWasHeardIsForgottenWhenNobodyLooks() {
    topology = ring(1);
    status.look();
    answerAll();
    scheduler.advance(ClusterStatus.KEPT.minusSeconds(1));
    assertTrue(lookAt("n1").figures().isPresent());
    answerAll();
    scheduler.advance(ClusterStatus.KEPT.minusSeconds(2));
    assertTrue(lookAt("n1").figures().isPresent(), "somebody looked in between");
    answerAll();
    scheduler.advance(ClusterStatus.KEPT.multipliedBy(3));
    assertFalse(lookAt("n1").figures().isPresent());
  }

  @Test
  void aNodeThatLeavesTheRingIsForgotten() {
    topology = ring(2);
    status.look();
    answerAll();
    topology = ring(1);
    clock.advance(POLL);
    assertEquals(1, status.look().nodes().size());
    answerAll();
    topology = ring(2);
    assertEquals(Optional.empty(), lookAt("n2").figures());
  }

  /** Two nodes that reach each other, of which the second one is asked by hand. */
  private final class TwoNodes {
    final MemoryNetwork network = MemoryNetwork.timed(scheduler, Stage.TIMER);
    final Messenger asks = messenger("n0");
    final Messenger tells = messenger("n1");
    final ClusterStatus told = new ClusterStatus(() -> topology, peers, clock, scheduler);

    TwoNodes() {
      told.register(tells);
      asks.start();
      tells.start();
    }

    private Messenger messenger(String id) {
      Peer self = new Peer(id, new PeerAddress(id, 7000));
      return new Messenger(self, network.at(self.address()), clock, scheduler);
    }

    CompletableFuture<byte[]> ask(byte[] body) {
      CompletableFuture<byte[]> answer =
          asks.request(
              tells.self(),
              Verb.FIGURES,
              body,
              clock.monotonicNanos() + ClusterStatus.LIMIT.toNanos());
      scheduler.advance(Duration.ofMillis(100));
      return answer;
    }

    PeerFailure.Code refusal(byte[] body) {
      CompletableFuture<byte[]> answer = ask(body);
      Throwable failure = assertThrows(CompletionException.class, answer::join).getCause();
      return assertInstanceOf(PeerFailure.class, failure).code();
    }
  }

  @Test
  void aNodeTellsItsFiguresAndCollectsThemOnceForAllWhoAskAtATime() throws Exception {
    TwoNodes two = new TwoNodes();
    byte[] wanted = NodeFiguresCodec.encodeRequest(2);
    assertEquals(PeerFailure.Code.NOT_READY, two.refusal(wanted));
    AtomicInteger collected = new AtomicInteger();
    two.told.tells(
        () -> {
          collected.incrementAndGet();
          assertEquals(Stage.LARGE, scheduler.current(), "not on the event loop");
          return FIGURES;
        });
    assertEquals(PeerFailure.Code.PROTOCOL, two.refusal(new byte[0]));
    NodeFigures heard = NodeFiguresCodec.decode(two.ask(wanted).join());
    assertEquals(FIGURES.shortened(2, 50), heard);
    var unused = two.ask(wanted).join();
    assertEquals(1, collected.get());
    scheduler.advance(ClusterStatus.FRESH);
    var unusedLater = two.ask(wanted).join();
    assertEquals(2, collected.get());
  }
}
