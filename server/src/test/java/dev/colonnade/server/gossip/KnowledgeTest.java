package dev.colonnade.server.gossip;

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

class KnowledgeTest {

  private static final long LATEST = 1_000;

  private static Endpoint node(String id, long generation, long heartbeat, Versioned... states) {
    return Endpoint.of(id, generation, heartbeat, List.of(states));
  }

  private static Versioned status(long version, String text) {
    return new Versioned(ApplicationState.STATUS.number(), version, text);
  }

  private static Knowledge knowledge(String id) {
    return new Knowledge(node(id, 1, 1), 100);
  }

  /** What one node says in the course of its life, several generations and an end. */
  private static List<Delta> life(Random random) {
    List<Delta> told = new ArrayList<>();
    for (long generation = 1; generation <= 3; generation++) {
      Endpoint node = node("x", generation, 1, status(1, "joining"));
      for (int i = 0; i < 6; i++) {
        node = node.beat();
        if (random.nextBoolean()) {
          int key = 3 + random.nextInt(4);
          node =
              node.merged(
                  node.heartbeat(),
                  List.of(new Versioned(key, node.version(), generation + "/" + i)));
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
    // Taken in while this node's clock was wrong, too.
    Knowledge left = knowledge("left");
    left.merge(Delta.all(node("x", 5_000, 9, status(3, "normal"))), 9_000);
    Knowledge mended = new Knowledge(node("x", 7, 1, status(1, "normal")), 100);
    GossipCodec.Ack answer = left.answer(mended.digests(), LATEST);
    for (Delta delta : answer.deltas()) {
      assertFalse(mended.merge(delta, LATEST) instanceof Knowledge.OfSelf);
    }
    for (Delta delta : mended.answerRequests(answer.requests())) {
      Knowledge.Outcome outcome = left.merge(delta, LATEST);
      assertInstanceOf(Knowledge.Advanced.class, outcome);
    }
    assertEquals(7, Objects.requireNonNull(left.get("x")).generation());
    // What comes late from a third node does not bring the old one back.
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
      Endpoint once = heard(told);
      List<Delta> twice = new ArrayList<>(told);
      twice.addAll(told);
      Collections.shuffle(twice, random);
      twice.addAll(told.stream().filter(delta -> delta.since() == 0).toList());
      assertEquals(once, heard(twice), "seed " + seed);
    }
  }

  private static Endpoint heard(List<Delta> told) {
    Knowledge knowledge = knowledge("me");
    for (Delta delta : told) {
      Endpoint before = knowledge.get("x");
      knowledge.merge(delta, LATEST);
      Endpoint now = knowledge.get("x");
      if (before != null && now != null && !now.departed()) {
        assertTrue(now.generation() >= before.generation());
        assertTrue(now.generation() > before.generation() || now.version() >= before.version());
      }
    }
    return Objects.requireNonNull(knowledge.get("x"));
  }

  @Test
  void twoNodesKnowTheSameAfterOneExchange() {
    for (long seed = 1; seed <= 500; seed++) {
      Random random = new Random(seed);
      Knowledge left = knowledge("left");
      Knowledge right = knowledge("right");
      for (int i = 0; i < 8; i++) {
        Endpoint node =
            node("n" + i, 1 + random.nextInt(3), 5 + random.nextInt(50), status(5, "normal"));
        learn(left, node, random);
        learn(right, node.beat(), random);
      }
      GossipCodec.Ack answer = right.answer(left.digests(), LATEST);
      answer.deltas().forEach(delta -> left.merge(delta, LATEST));
      left.answerRequests(answer.requests()).forEach(delta -> right.merge(delta, LATEST));
      assertEquals(List.copyOf(left.all()), List.copyOf(right.all()), "seed " + seed);
      GossipCodec.Ack again = right.answer(left.digests(), LATEST);
      assertEquals(List.of(), again.deltas(), "seed " + seed);
      assertEquals(List.of(), again.requests(), "seed " + seed);
    }
  }

  private static void learn(Knowledge knowledge, Endpoint node, Random random) {
    if (random.nextInt(4) > 0) {
      knowledge.merge(Delta.all(node), LATEST);
    }
  }

  @Test
  void newsThatBuildOnWhatIsNotKnownAreLeftOut() {
    Knowledge knowledge = knowledge("me");
    Endpoint node = node("x", 1, 9, status(3, "normal"));
    assertInstanceOf(Knowledge.Ignored.class, knowledge.merge(Delta.since(node, 8), LATEST));
    knowledge.merge(Delta.all(node("x", 1, 2)), LATEST);
    assertInstanceOf(Knowledge.Ignored.class, knowledge.merge(Delta.since(node, 8), LATEST));
    assertInstanceOf(Knowledge.Advanced.class, knowledge.merge(Delta.since(node, 2), LATEST));
  }

  @Test
  void whoeverLeftForGoodStaysAway() {
    Knowledge knowledge = knowledge("me");
    knowledge.merge(Delta.all(node("x", 5, 9, status(3, "normal"))), LATEST);
    assertInstanceOf(
        Knowledge.Departed.class,
        knowledge.merge(Delta.all(node("x", 4, 1, status(1, "left:7"))), LATEST));
    assertInstanceOf(
        Knowledge.Ignored.class,
        knowledge.merge(Delta.all(node("x", 99, 9, status(3, "normal"))), LATEST));
  }

  @Test
  void theForgottenAreNotBelievedInUntilTheirQuarantineEnds() {
    Knowledge knowledge = knowledge("me");
    Delta told = Delta.all(node("x", 5, 9, status(3, "left:7")));
    knowledge.merge(told, LATEST);
    knowledge.forget("x", 100);
    knowledge.endQuarantines(99);
    assertInstanceOf(Knowledge.Ignored.class, knowledge.merge(told, LATEST));
    assertEquals(
        List.of(), knowledge.answer(List.of(new Digest(told.hash(), 5, 9)), LATEST).requests());
    knowledge.endQuarantines(100);
    assertInstanceOf(Knowledge.Departed.class, knowledge.merge(told, LATEST));
  }

  @Test
  void aGenerationFromTheFutureAndOneNodeTooManyAreRefused() {
    Knowledge knowledge = new Knowledge(node("me", 1, 1), 2);
    assertInstanceOf(
        Knowledge.Refused.class, knowledge.merge(Delta.all(node("x", LATEST + 1, 1)), LATEST));
    knowledge.merge(Delta.all(node("x", LATEST, 1)), LATEST);
    assertInstanceOf(Knowledge.Refused.class, knowledge.merge(Delta.all(node("y", 1, 1)), LATEST));
  }

  @Test
  void ofItselfANodeBelievesNobody() {
    Knowledge knowledge = knowledge("me");
    Endpoint mine = knowledge.self();
    assertInstanceOf(Knowledge.Ignored.class, knowledge.merge(Delta.all(mine), LATEST));
    for (Endpoint other :
        List.of(
            node("me", 2, 1),
            node("me", 1, 2),
            node("me", 1, 1, new Versioned(ApplicationState.ADDRESS.number(), 1, "b:1")),
            node("me", 1, 1, status(1, "removed:7")))) {
      assertInstanceOf(Knowledge.OfSelf.class, knowledge.merge(Delta.all(other), LATEST));
      assertEquals(mine, knowledge.self());
    }
  }
}
