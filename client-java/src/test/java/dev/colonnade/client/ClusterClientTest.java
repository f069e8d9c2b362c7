package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.client.FakeNodes.FakeNode;
import dev.colonnade.v1.BatchMutateRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client of several nodes: which of them gets a call, and what happens when it fails there. */
@Timeout(30)
final class ClusterClientTest {

  private static final ClientOptions FIXED =
      ClientOptions.defaults().withSessions(false).withDiscovery(false).withoutSpeculation();

  private static final ClientOptions FOUND =
      ClientOptions.defaults().withSessions(false).withoutSpeculation();

  @Test
  void whatANodeThatDiesDoesNotAnswerIsAnsweredByAnother() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1), nodes.node(2))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      nodes.node(0).hangs = true;
      List<CompletableFuture<?>> calls = new ArrayList<>();
      while (nodes.node(0).slices.isEmpty() || nodes.node(0).batches.isEmpty()) {
        calls.add(family.async().get("k", "c"));
        calls.add(family.async().insert("k", "c", "v"));
      }
      nodes.node(0).kill();
      calls.forEach(CompletableFuture::join);
      for (int i = 0; i < 100; i++) {
        assertTrue(family.get("k", "c").isEmpty());
        family.insert("k", "c", "v");
      }
    }
  }

  @Test
  void aWriterOfManyBatchesContinuesOnAnotherNode() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      nodes.nodes.forEach(node -> node.hangs = true);
      BulkWriter writer = client.keyspace("K").bulkWriter();
      List<CompletableFuture<?>> outcomes = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        outcomes.add(writer.insert(family, "k" + i, "c", "v"));
      }
      Await.until(() -> nodes.nodes.stream().anyMatch(node -> node.batches.size() == 10));
      nodes.nodes.forEach(node -> node.hangs = false);
      nodes.node(nodes.node(0).batches.isEmpty() ? 1 : 0).kill();
      outcomes.forEach(CompletableFuture::join);
      writer.close();
      assertEquals(10, writer.written());
      assertEquals(List.copyOf(nodes.node(0).batches), List.copyOf(nodes.node(1).batches));
    }
  }

  @Test
  void aWriteIsMadeAgainWithItsTimestamps() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      nodes.nodes.forEach(
          node ->
              node.failure = FakeNodes.failure(Status.Code.UNAVAILABLE, "NODE_NOT_READY", "no"));
      assertThrows(
          UnavailableException.class, () -> FakeNodes.family(client).insert("k", "c", "v"));
      List<BatchMutateRequest> all = new ArrayList<>();
      nodes.nodes.forEach(node -> all.addAll(node.batches));
      assertEquals(4, all.size(), "one attempt and three retries");
      assertEquals(1, all.stream().distinct().count());
      assertTrue(nodes.nodes.stream().noneMatch(node -> node.batches.isEmpty()));
    }
  }

  @Test
  void aNodeThatIsNotReadyOrOverloadedIsAvoidedForAWhile() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      nodes.node(0).failure = FakeNodes.failure(Status.Code.RESOURCE_EXHAUSTED, "OVERLOADED", "no");
      for (int i = 0; i < 100; i++) {
        family.get("k", "c");
      }
      assertEquals(1, nodes.node(0).slices.size(), "no time passes for this client");
      nodes.node(0).failure = null;
      nodes.clock.addAndGet(Retries.AVOIDED.toNanos());
      for (int i = 0; i < 100; i++) {
        family.get("k", "c");
      }
      assertTrue(nodes.node(0).slices.size() > 20, () -> nodes.node(0).slices.size() + " calls");
    }
  }

  @Test
  void whatIsWrongEverywhereIsAskedOnce() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      nodes.nodes.forEach(
          node ->
              node.failure =
                  FakeNodes.failure(Status.Code.INVALID_ARGUMENT, "INVALID_REQUEST", "no"));
      assertThrows(InvalidRequestException.class, () -> family.get("k", "c"));
      CompletionException failed =
          assertThrows(CompletionException.class, family.async().get("k", "c")::join);
      assertInstanceOf(InvalidRequestException.class, failed.getCause());
      assertEquals(2, nodes.nodes.stream().mapToInt(node -> node.slices.size()).sum());
    }
  }

  @Test
  void whatIsNoMatterOfDataIsMadeOnce() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      nodes.nodes.forEach(
          node ->
              node.failure =
                  FakeNodes.failure(Status.Code.UNAVAILABLE, "NOT_ENOUGH_REPLICAS", "unknown"));
      assertThrows(UnavailableException.class, () -> FakeNodes.family(client).truncate());
      assertEquals(1, nodes.nodes.stream().mapToInt(node -> node.truncations.get()).sum());
    }
  }

  @Test
  void withoutRetriesTheFirstFailureIsFinal() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED.withRetries(0), nodes.node(0), nodes.node(1))) {
      nodes.nodes.forEach(
          node ->
              node.failure = FakeNodes.failure(Status.Code.UNAVAILABLE, "NODE_NOT_READY", "no"));
      assertThrows(UnavailableException.class, () -> FakeNodes.family(client).get("k", "c"));
      assertEquals(1, nodes.nodes.stream().mapToInt(node -> node.slices.size()).sum());
    }
  }

  @Test
  void retriesEndWithTheDeadline() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client =
            nodes.client(
                FIXED
                    .withRetries(1_000_000)
                    .withCalls(CallOptions.defaults().withDeadline(Duration.ofSeconds(1))),
                nodes.node(0),
                nodes.node(1))) {
      nodes.nodes.forEach(
          node ->
              node.failure = FakeNodes.failure(Status.Code.RESOURCE_EXHAUSTED, "OVERLOADED", "no"));
      long begin = System.nanoTime();
      assertThrows(ColonnadeException.class, () -> FakeNodes.family(client).get("k", "c"));
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      assertTrue(took.compareTo(Duration.ofSeconds(5)) < 0, took::toString);
      int attempts = nodes.nodes.stream().mapToInt(node -> node.slices.size()).sum();
      assertTrue(attempts > 2 && attempts < 100, () -> attempts + " attempts");
    }
  }

  @Test
  void aWriteThatMayHaveBeenAppliedIsNotSaidToBeRefused() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      nodes.node(0).failure = Status.UNAVAILABLE.withDescription("it broke").asRuntimeException();
      nodes.node(1).failure =
          FakeNodes.failure(Status.Code.UNAVAILABLE, "NOT_ENOUGH_REPLICAS", "no");
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      for (int i = 0; i < 10; i++) {
        UnavailableException waited =
            assertThrows(UnavailableException.class, () -> family.insert("k", "c", "v"));
        assertEquals(Applied.UNKNOWN, waited.applied(), waited::toString);
        CompletionException later =
            assertThrows(CompletionException.class, family.async().insert("k", "c", "v")::join);
        assertEquals(
            Applied.UNKNOWN,
            assertInstanceOf(UnavailableException.class, later.getCause()).applied());
      }
      nodes.node(0).failure = FakeNodes.failure(Status.Code.UNAVAILABLE, "NODE_NOT_READY", "no");
      UnavailableException refused =
          assertThrows(UnavailableException.class, () -> family.insert("k", "c", "v"));
      assertEquals(Applied.NO, refused.applied());
    }
  }

  @Test
  void aNodeThatSeesAMinorityIsLeft() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FOUND, nodes.node(0))) {
      nodes.show(
          nodes.node(0).shown(NodeState.NODE_STATE_NORMAL, "dc"),
          down(nodes.node(1)),
          down(nodes.node(2)));
      nodes.node(0).failure =
          FakeNodes.failure(Status.Code.UNAVAILABLE, "NOT_ENOUGH_REPLICAS", "no");
      Await.until(
          () -> {
            try {
              FakeNodes.family(client).get("k", "c");
            } catch (UnavailableException e) {
              // It does not know the others yet.
            }
            return client.pool().nodes().size() == 3;
          });
      nodes.node(0).slices.clear();
      for (int i = 0; i < 200; i++) {
        FakeNodes.family(client).get("k", "c");
      }
      assertTrue(nodes.node(0).slices.size() < 100, "it was avoided");
      Await.until(() -> nodes.watches.get() > 1);
    }
  }

  private static dev.colonnade.admin.v1.RingNode down(FakeNode node) {
    return node.shown(NodeState.NODE_STATE_NORMAL, "dc").toBuilder()
        .setLiveness(dev.colonnade.admin.v1.Liveness.LIVENESS_DOWN)
        .build();
  }

  @Test
  void aSilentNodeIsAvoided() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client =
            nodes.client(
                FIXED.withCalls(CallOptions.defaults().withDeadline(Duration.ofSeconds(1))),
                nodes.node(0),
                nodes.node(1))) {
      nodes.node(0).hangs = true;
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      int timedOut = 0;
      for (int i = 0; i < 100; i++) {
        try {
          family.get("k", "c");
        } catch (TimedOutException e) {
          timedOut++;
        }
      }
      assertEquals(1, timedOut, "no time passes for this client");
    }
  }

  @Test
  void aNodeThatStandsStillGetsFewCalls() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1), nodes.node(2))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      nodes.node(1).hangs = true;
      List<CompletableFuture<?>> calls = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        CompletableFuture<?> call = family.async().get("k", "c");
        calls.add(call);
        Await.until(() -> call.isDone() || nodes.node(1).slices.size() == waiting(calls));
      }
      assertTrue(waiting(calls) < 30, () -> waiting(calls) + " calls wait for it");
      calls.forEach(call -> call.cancel(true));
    }
  }

  private static int waiting(List<CompletableFuture<?>> calls) {
    return (int) calls.stream().filter(call -> !call.isDone()).count();
  }

  @Test
  void nodesOfTheRingAreFoundAndThoseThatLeaveGetNoMoreCalls() {
    try (FakeNodes nodes = new FakeNodes(4);
        Colonnade client = nodes.client(FOUND, nodes.node(3))) {
      nodes.show(NodeState.NODE_STATE_NORMAL, 0, 1, 2, 3);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      FakeNodes.callUntil(
          family, () -> nodes.nodes.stream().noneMatch(node -> node.slices.isEmpty()));

      nodes.show(NodeState.NODE_STATE_LEFT, 1);
      Await.until(() -> client.pool().nodes().size() == 3);
      nodes.node(1).slices.clear();
      nodes.node(0).slices.clear();
      FakeNodes.callUntil(family, () -> nodes.node(0).slices.size() > 50);
      assertEquals(0, nodes.node(1).slices.size());
    }
  }

  @Test
  void theRingIsWatchedElsewhereWhenItsNodeDies() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FOUND, nodes.node(0))) {
      nodes.show(NodeState.NODE_STATE_NORMAL, 0, 1);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      FakeNodes.callUntil(family, () -> client.pool().nodes().size() == 2);
      nodes.node(0).kill();
      FakeNodes.callUntil(family, () -> nodes.watches.get() > 1);
      nodes.show(NodeState.NODE_STATE_NORMAL, 2);
      FakeNodes.callUntil(family, () -> !nodes.node(2).slices.isEmpty());
    }
  }

  @Test
  void nodesOfTheNamedDataCentreGetTheCallsWhileOneAnswers() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FOUND.withDatacenter("near"), nodes.node(0))) {
      nodes.show(
          nodes.node(0).shown(NodeState.NODE_STATE_NORMAL, "far"),
          nodes.node(1).shown(NodeState.NODE_STATE_NORMAL, "near"),
          nodes.node(2).shown(NodeState.NODE_STATE_NORMAL, "far"));
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      FakeNodes.callUntil(family, () -> !nodes.node(1).slices.isEmpty());
      nodes.node(0).slices.clear();
      for (int i = 0; i < 50; i++) {
        family.get("k", "c");
      }
      assertEquals(0, nodes.node(0).slices.size() + nodes.node(2).slices.size());
      nodes.node(1).kill();
      for (int i = 0; i < 50; i++) {
        family.get("k", "c");
      }
      assertEquals(50, nodes.node(0).slices.size() + nodes.node(2).slices.size());
    }
  }

  @Test
  void theNodeItselfIsTheFirstContactPoint() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FOUND, nodes.node(1), nodes.node(0))) {
      assertEquals(nodes.node(1).target(), client.pool().first().target());
    }
  }

  @Test
  void aClientNeedsAContactPoint() {
    assertThrows(IllegalArgumentException.class, () -> Colonnade.connect(List.of()));
  }
}
