package dev.colonnade.server.service.schemasync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.SimulatedCluster;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Truncation on several nodes, while requests from before it are in progress. */
class TruncationTest {

  private static final Duration LATE = Duration.ofMillis(300);

  private final SimulatedCluster cluster = three();

  private static SimulatedCluster three() {
    try {
      return new SimulatedCluster(3);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void keyspace() {
    cluster.await(
        cluster
            .node(0)
            .schema()
            .createKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(3)));
    cluster.await(
        cluster.node(0).schema().createFamily(FamilyDefinition.standard("K", "F", "UTF8Type")));
    cluster.gossiping(true);
  }

  private ColumnFamily family(int node) {
    try {
      return cluster.node(node).family("K", "F");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private String put(int node, String key, Consistency level) {
    return cluster.outcome(cluster.node(node).put(family(node), key, "c", "v", level));
  }

  private String truncate(int node) {
    return cluster.outcome(cluster.node(node).schema().truncate(family(node), cluster.deadline()));
  }

  /** Messages of the verb to node 2 come late from now on. */
  private void late(Verb verb) {
    cluster
        .network()
        .slow(
            route -> route.frame().verb() == verb && route.to().equals(SimulatedCluster.address(2)),
            LATE);
  }

  private void assertNowhere(String key) {
    for (SimulatedCluster.Node node : cluster.nodes()) {
      assertEquals("", cluster.await(node.stored(family(0), key)), node.nodeId());
    }
  }

  private void assertEverywhere(String key) {
    for (SimulatedCluster.Node node : cluster.nodes()) {
      assertEquals("c=v", cluster.await(node.stored(family(0), key)), node.nodeId());
    }
  }

  @Test
  void aWriteThatArrivesAfterTheTruncationBringsNothingBack() {
    late(Verb.MUTATION);
    assertEquals("ok", put(0, "k", Consistency.QUORUM));
    assertEquals("ok", truncate(1));
    cluster.scheduler().advance(Duration.ofSeconds(1));

    assertNowhere("k");
  }

  @Test
  void aWriteOfAfterTheTruncationIsNotLostWhereTheTruncationComesLater() {
    late(Verb.TRUNCATE);
    CompletableFuture<Void> truncation =
        cluster.node(0).schema().truncate(family(0), cluster.deadline());
    cluster.scheduler().runUntil(() -> family(0).truncation() > 0, Duration.ofSeconds(1));
    assertFalse(truncation.isDone());
    assertEquals("ok", put(0, "k", Consistency.ALL));
    assertEquals("ok", cluster.outcome(truncation));
    cluster.scheduler().advance(Duration.ofSeconds(1));

    assertEverywhere("k");
  }

  @Test
  void aCorrectionThatArrivesAfterTheTruncationBringsNothingBack() {
    cluster.await(cluster.node(0).putHere(family(0), "k", "c", "v"));
    late(Verb.READ_REPAIR);
    CompletableFuture<String> read = cluster.node(0).get(family(0), "k", Consistency.ALL);
    cluster.scheduler().advance(Duration.ofMillis(20));
    assertEquals("ok", truncate(1));
    cluster.await(read);
    cluster.scheduler().advance(Duration.ofSeconds(1));

    assertNowhere("k");
  }

  @Test
  void aReadOfAfterTheTruncationDoesNotSpreadWhatAReplicaHasStillToForget() {
    assertEquals("ok", put(0, "k", Consistency.ALL));
    late(Verb.TRUNCATE);
    CompletableFuture<Void> truncation =
        cluster.node(0).schema().truncate(family(0), cluster.deadline());
    cluster.scheduler().runUntil(() -> family(0).truncation() > 0, Duration.ofSeconds(1));
    assertFalse(truncation.isDone());
    assertEquals("", cluster.await(cluster.node(0).get(family(0), "k", Consistency.ALL)));
    assertEquals("ok", cluster.outcome(truncation));

    assertNowhere("k");
  }

  @Test
  void aTruncationThatOneNodeDoesNotHearOfEmptiesNothing() {
    assertEquals("ok", put(0, "k", Consistency.ALL));
    cluster.silence(2);
    assertEquals("timeout 2/3", truncate(0));
    cluster.silence();
    cluster.scheduler().advance(Duration.ofSeconds(30));

    assertEverywhere("k");
  }

  @Test
  void aNodeThatHeardTheQuestionOnlyMakesTheTruncationWhenItHearsThatSchemasDiffer() {
    assertEquals("ok", put(0, "k", Consistency.ALL));
    CompletableFuture<Void> truncation =
        cluster.node(0).schema().truncate(family(0), cluster.deadline());
    // The query is on its way for a millisecond, and so is the answer.
    cluster.scheduler().advance(Duration.ofNanos(1_500_000));
    cluster.gossiping(false);
    cluster.silence(2);
    assertEquals("timeout 2/3", cluster.outcome(truncation));
    assertEquals("c=v", cluster.await(cluster.node(2).stored(family(2), "k")));
    cluster.silence();
    cluster.gossiping(true);
    cluster.scheduler().advance(Duration.ofSeconds(30));

    assertNowhere("k");
    assertEquals(family(0).truncation(), family(2).truncation());
  }

  @Test
  void ofTruncationsAtOnceEachEmptiesWhatWasWrittenBeforeIt() {
    CompletableFuture<Void> first =
        cluster.node(0).schema().truncate(family(0), cluster.deadline());
    CompletableFuture<Void> second =
        cluster.node(1).schema().truncate(family(1), cluster.deadline());
    assertEquals("ok", cluster.outcome(first));
    assertEquals("ok", cluster.outcome(second));
    assertEquals("ok", put(0, "k", Consistency.ALL));
    assertEquals("ok", truncate(2));
    assertNowhere("k");
    assertEquals(family(0).truncation(), family(1).truncation());
    assertTrue(family(0).truncation() > 0);
    assertEquals("ok", put(1, "k", Consistency.ALL));
    assertEverywhere("k");
  }

  @Test
  void aTruncationByANodeWhoseClockLagsCountsAfterTheLastOne() {
    assertEquals("ok", truncate(0));
    long first = family(0).truncation();
    cluster.clock().stepWall(Duration.ofHours(-1));
    assertEquals("ok", put(0, "k", Consistency.ALL));
    assertEverywhere("k");
    assertEquals("ok", truncate(1));

    assertNowhere("k");
    assertTrue(family(2).truncation() > first);
  }

  private CompletableFuture<byte[]> ask(
      Messenger from, Truncation.StepKind kind, FamilyId family, long number) {
    return from.request(
        new Peer(cluster.node(2).nodeId(), SimulatedCluster.address(2)),
        Verb.TRUNCATE,
        TruncationCodec.encode(new Truncation.TruncationStep(kind, family, number)),
        cluster.deadline());
  }

  /** A node that has lost its way, or whose key was stolen, is not obeyed at its first word. */
  @Test
  void aSecondStepIsTakenOfTheNodeAloneThatMadeTheFirst() throws Exception {
    assertEquals("ok", put(0, "k", Consistency.ALL));
    Messenger[] others = new Messenger[2];
    for (int i = 0; i < others.length; i++) {
      PeerAddress address = new PeerAddress("other" + i, 7000);
      others[i] =
          new Messenger(
              new Peer("other" + i, address),
              cluster.network().at(address),
              cluster.clock(),
              cluster.scheduler());
      others[i].start();
    }
    FamilyId id = family(2).id();
    long now = cluster.clock().wallMicros();
    assertRefused("was not asked", ask(others[0], Truncation.StepKind.APPLY, id, now));

    long number =
        TruncationCodec.decodeNumber(
            cluster.await(ask(others[0], Truncation.StepKind.PROPOSE, id, 0)));
    assertRefused("was not asked", ask(others[1], Truncation.StepKind.APPLY, id, number));
    assertRefused("must be from", ask(others[0], Truncation.StepKind.APPLY, id, Long.MAX_VALUE));
    assertEquals("c=v", cluster.await(cluster.node(2).stored(family(2), "k")));

    assertEquals("ok", cluster.outcome(ask(others[0], Truncation.StepKind.APPLY, id, number)));
    assertEquals(number, family(2).truncation());
  }

  private void assertRefused(String why, CompletableFuture<byte[]> answer) {
    CompletionException failed =
        assertThrows(CompletionException.class, () -> cluster.await(answer));
    PeerFailure refused = assertInstanceOf(PeerFailure.class, failed.getCause());
    assertEquals(PeerFailure.Code.REFUSED, refused.code());
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused::getMessage);
  }

  @Test
  void hintsSayOfWhichTruncationTheyAre() {
    cluster.silence(2);
    assertEquals("ok", put(0, "k", Consistency.QUORUM));
    cluster.scheduler().advance(Duration.ofSeconds(2));
    cluster.silence();
    assertEquals("ok", truncate(0));
    SimulatedCluster.Kept hint = cluster.hints().get(0);
    assertEquals(0, hint.mutation().updates().get(0).truncation());
    cluster.await(cluster.node(2).engine().write(hint.mutation(), true));

    assertNowhere("k");
  }
}
