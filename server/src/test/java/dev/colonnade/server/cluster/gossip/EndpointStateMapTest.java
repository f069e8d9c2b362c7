package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EndpointStateMapTest {

  private static final long LATEST = 1_000;

  private static EndpointState node(
      String id, long generation, long heartbeat, VersionedValue... states) {
    return EndpointState.of(id, generation, heartbeat, List.of(states));
  }

  private static VersionedValue status(long version, String text) {
    return new VersionedValue(ApplicationState.STATUS.number(), version, text);
  }

  private static EndpointStateMap knowledge(String id) {
    return new EndpointStateMap(node(id, 1, 1), 100);
  }

  /** The states of one node over its life: several generations and an end. */
  private static List<Delta> life(Random random) {
    List<Delta> told = new ArrayList<>();
    for (long generation = 1; generation <= 3; generation++) {
      EndpointState node = node("x", generation, 1, status(1, "joining"));
      for (int i = 0; i < 6; i++) {
        node = node.beat();
        if (random.nextBoolean()) {
          int key = 3 + random.nextInt(4);
          node =
              node.merged(
                  node.heartbeat(),
                  List.of(new VersionedValue(key, node.version(), generation + "/" + i)));
        }
        told.add(Delta.all(node));
        told.add(Delta.since(node, 1 + random.nextInt(6)));
      }
    }
    if (random.nextBoolean()) {
      told.add(Delta.all(node("x", 2, 9_000, status(9_000, "removed:7"))));
    }
    return told;
  }

  @Test
  void aGenerationThatCannotBeTrueYieldsToOneThatCan() {
    // Accepted while this node's clock was wrong, too.
    EndpointStateMap left = knowledge("left");
    left.merge(Delta.all(node("x", 5_000, 9, status(3, "normal"))), 9_000);
    EndpointStateMap mended = new EndpointStateMap(node("x", 7, 1, status(1, "normal")), 100);
    GossipMessages.Ack answer = left.answer(mended.digests(), LATEST);
    for (Delta delta : answer.deltas()) {
      assertFalse(mended.merge(delta, LATEST) instanceof EndpointStateMap.OfSelf);
    }
    for (Delta delta : mended.answerRequests(answer.requests())) {
      EndpointStateMap.MergeOutcome outcome = left.merge(delta, LATEST);
      assertInstanceOf(EndpointStateMap.Advanced.class, outcome);
    }
    assertEquals(7, Objects.requireNonNull(left.get("x")).generation());
    // Late news from a third node does not bring the old one back.
    left.merge(Delta.all(node("x", 5_000, 9, status(3, "normal"))), LATEST);
    assertEquals(7, Objects.requireNonNull(left.get("x")).generation());
    assertEquals(
        List.of(), mended.answer(List.of(Digest.of(node("x", 5_000, 9))), LATEST).requests());
  }

  @Test
  void orderAndRepetitionDoNotMatter() {
    for (long seed = 1; seed <= 2_000; seed++) {
      Random random = new Random(seed);
      List<Delta> told = life(random);
      EndpointState once = heard(told);
      List<Delta> twice = new ArrayList<>(told);
      twice.addAll(told);
      Collections.shuffle(twice, random);
      twice.addAll(told.stream().filter(delta -> delta.since() == 0).toList());
      assertEquals(once, heard(twice), "seed " + seed);
    }
  }

  private static EndpointState heard(List<Delta> told) {
    EndpointStateMap endpoints = knowledge("me");
    for (Delta delta : told) {
      EndpointState before = endpoints.get("x");
      endpoints.merge(delta, LATEST);
      EndpointState now = endpoints.get("x");
      if (before != null && now != null && !now.departed()) {
        assertTrue(now.generation() >= before.generation());
        assertTrue(now.generation() > before.generation() || now.version() >= before.version());
      }
    }
    return Objects.requireNonNull(endpoints.get("x"));
  }

  @Test
  void twoNodesKnowTheSameAfterOneExchange() {
    for (long seed = 1; seed <= 500; seed++) {
      Random random = new Random(seed);
      EndpointStateMap left = knowledge("left");
      EndpointStateMap right = knowledge("right");
      for (int i = 0; i < 8; i++) {
        EndpointState node =
            node("n" + i, 1 + random.nextInt(3), 5 + random.nextInt(50), status(5, "normal"));
        learn(left, node, random);
        learn(right, node.beat(), random);
      }
      GossipMessages.Ack answer = right.answer(left.digests(), LATEST);
      answer.deltas().forEach(delta -> left.merge(delta, LATEST));
      left.answerRequests(answer.requests()).forEach(delta -> right.merge(delta, LATEST));
      assertEquals(List.copyOf(left.all()), List.copyOf(right.all()), "seed " + seed);
      GossipMessages.Ack again = right.answer(left.digests(), LATEST);
      assertEquals(List.of(), again.deltas(), "seed " + seed);
      assertEquals(List.of(), again.requests(), "seed " + seed);
    }
  }

  private static void learn(EndpointStateMap endpoints, EndpointState node, Random random) {
    if (random.nextInt(4) > 0) {
      endpoints.merge(Delta.all(node), LATEST);
    }
  }

  @Test
  void newsThatBuildOnWhatIsNotKnownAreLeftOut() {
    EndpointStateMap endpoints = knowledge("me");
    EndpointState node = node("x", 1, 9, status(3, "normal"));
    assertInstanceOf(EndpointStateMap.NotNews.class, endpoints.merge(Delta.since(node, 8), LATEST));
    endpoints.merge(Delta.all(node("x", 1, 2)), LATEST);
    assertInstanceOf(EndpointStateMap.NotNews.class, endpoints.merge(Delta.since(node, 8), LATEST));
    assertInstanceOf(
        EndpointStateMap.Advanced.class, endpoints.merge(Delta.since(node, 2), LATEST));
  }

  /** Nodes of 0.2.0 believe each other only with what they sign, which reaches them this way. */
  @Test
  void statesOfOtherReleasesArePassedOn() {
    EndpointStateMap relay = knowledge("relay");
    EndpointStateMap receiver = knowledge("receiver");
    EndpointState signed =
        node("x", 1, 9, status(3, "normal"), value(16, 9), value(17, 9), value(18, 9));
    relay.merge(Delta.all(node("x", 1, 3, status(3, "normal"))), LATEST);
    relay.merge(Delta.since(signed, 3), LATEST);
    relay.answer(receiver.digests(), LATEST).deltas().forEach(d -> receiver.merge(d, LATEST));
    assertEquals(signed, receiver.get("x"));
  }

  private static VersionedValue value(int key, long version) {
    return new VersionedValue(key, version, "of " + key);
  }

  @Test
  void aNodeThatLeftForGoodStaysAway() {
    EndpointStateMap endpoints = knowledge("me");
    endpoints.merge(Delta.all(node("x", 5, 9, status(3, "normal"))), LATEST);
    assertInstanceOf(
        EndpointStateMap.Departed.class,
        endpoints.merge(Delta.all(node("x", 4, 1, status(1, "left:7"))), LATEST));
    assertInstanceOf(
        EndpointStateMap.NotNews.class,
        endpoints.merge(Delta.all(node("x", 99, 9, status(3, "normal"))), LATEST));
  }

  @Test
  void theForgottenAreNotBelievedInUntilTheirQuarantineEnds() {
    EndpointStateMap endpoints = knowledge("me");
    Delta told = Delta.all(node("x", 5, 9, status(3, "left:7")));
    endpoints.merge(told, LATEST);
    endpoints.forget("x", 100);
    endpoints.endQuarantines(99);
    assertInstanceOf(EndpointStateMap.NotNews.class, endpoints.merge(told, LATEST));
    assertEquals(
        List.of(), endpoints.answer(List.of(new Digest(told.hash(), 5, 9)), LATEST).requests());
    endpoints.endQuarantines(100);
    assertInstanceOf(EndpointStateMap.Departed.class, endpoints.merge(told, LATEST));
  }

  @Test
  void aGenerationFromTheFutureAndOneNodeTooManyAreRefused() {
    EndpointStateMap endpoints = new EndpointStateMap(node("me", 1, 1), 2);
    assertInstanceOf(
        EndpointStateMap.Refused.class,
        endpoints.merge(Delta.all(node("x", LATEST + 1, 1)), LATEST));
    endpoints.merge(Delta.all(node("x", LATEST, 1)), LATEST);
    assertInstanceOf(
        EndpointStateMap.Refused.class, endpoints.merge(Delta.all(node("y", 1, 1)), LATEST));
  }

  @Test
  void aNodeBelievesNoOtherAboutItself() {
    EndpointStateMap endpoints = knowledge("me");
    EndpointState mine = endpoints.self();
    assertInstanceOf(EndpointStateMap.NotNews.class, endpoints.merge(Delta.all(mine), LATEST));
    for (EndpointState other :
        List.of(
            node("me", 2, 1),
            node("me", 1, 2),
            node("me", 1, 1, new VersionedValue(ApplicationState.ADDRESS.number(), 1, "b:1")),
            node("me", 1, 1, status(1, "removed:7")))) {
      assertInstanceOf(EndpointStateMap.OfSelf.class, endpoints.merge(Delta.all(other), LATEST));
      assertEquals(mine, endpoints.self());
    }
  }
}
