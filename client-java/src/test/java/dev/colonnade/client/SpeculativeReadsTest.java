package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import io.grpc.Deadline;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads that are made on a second node because the first does not answer. */
@Timeout(30)
final class SpeculativeReadsTest {

  private static final Speculation SOON = Speculation.after(Duration.ofMillis(1));

  private static final ClientOptions FIXED =
      ClientOptions.defaults()
          .withSessions(false)
          .withDiscovery(false)
          .withSpeculation(SOON)
          .withCalls(CallOptions.defaults().withDeadline(Duration.ofMinutes(1)));

  @Test
  void aReadThatANodeDoesNotAnswerIsAnsweredByAnotherAndCancelledThere() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      nodes.node(0).hangs = true;
      while (client.statistics().speculativeWins() < 1) {
        assertTrue(family.get("k", "c").isEmpty());
      }
      while (client.statistics().speculativeWins() < 2) {
        assertTrue(family.async().get("k", "c").join().isEmpty());
      }
      Await.until(() -> nodes.node(0).cancelled.get() == nodes.node(0).slices.size());
      assertTrue(client.statistics().speculativeReads() >= 2);
      assertEquals(0, client.statistics().retries());
      assertNoneInFlight(client);
    }
  }

  @Test
  void aReadOfASessionIsHandedOverWhenItsNodeDoesNotAnswer() throws InterruptedException {
    try (FakeNodes others = new FakeNodes(1);
        FakeSessions node =
            new FakeSessions(
                FIXED.withSessions(true), Map.of(others.node(0).target(), others.node(0).name))) {
      while (node.opened.get() == 0) {
        node.family().get("k", "c");
      }
      FakeSessions.Stream stream = node.awaitSession();
      while (stream.calls.isEmpty()) {
        node.family().get("k", "c");
      }
      Await.until(() -> stream.cancelled.size() == stream.calls.size());
      int before = stream.calls.size();
      while (stream.calls.size() == before) {
        node.family().async().get("k", "c").join();
      }
      Await.until(() -> stream.cancelled.size() == stream.calls.size());
      assertNoneInFlight(node.client);
    }
  }

  @Test
  void theFirstAnswerMayStillComeFromTheFirstNode() throws InterruptedException {
    try (FakeNodes others = new FakeNodes(1);
        FakeSessions node =
            new FakeSessions(
                FIXED.withSessions(true), Map.of(others.node(0).target(), others.node(0).name))) {
      while (node.opened.get() == 0) {
        node.family().get("k", "c");
      }
      FakeSessions.Stream stream = node.awaitSession();
      others.node(0).hangs = true;
      CompletableFuture<Optional<String>> read =
          CompletableFuture.supplyAsync(
              () -> node.family().get("k", "k"), task -> new Thread(task).start());
      Await.until(() -> !others.node(0).waiting.isEmpty() && !stream.calls.isEmpty());
      stream.answer(FakeSessions.rowOf(stream.takeCall()));
      assertEquals(Optional.of("k"), read.join());
      Await.until(() -> others.node(0).cancelled.get() == 1);
    }
  }

  @Test
  void aHandedOverReadEndsAtItsDeadline() throws InterruptedException {
    try (FakeNodes others = new FakeNodes(1);
        FakeSessions node =
            new FakeSessions(
                FIXED
                    .withSessions(true)
                    .withCalls(CallOptions.defaults().withDeadline(Duration.ofSeconds(1))),
                Map.of(others.node(0).target(), others.node(0).name))) {
      while (node.opened.get() == 0) {
        node.family().get("k", "c");
      }
      FakeSessions.Stream stream = node.awaitSession();
      // So no second node takes the read, and nothing but its own deadline ends it.
      node.client.pool().nodes().get(1).avoid(Retries.AVOIDED);
      assertThrows(TimedOutException.class, () -> node.family().get("k", "c"));
      Await.until(() -> stream.cancelled.size() == stream.calls.size());
      assertNoneInFlight(node.client);
    }
  }

  @Test
  void ifOneOfTheTwoFailsTheOtherDecides() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      CompletableFuture<Optional<String>> read = readThatBothHave(nodes, client);
      nodes.node(0).waiting.remove().onError(notReady());
      assertFalse(read.isDone());
      nodes.node(1).waiting.element().onNext(GetSliceResponse.getDefaultInstance());
      nodes.node(1).waiting.remove().onCompleted();
      assertTrue(read.join().isEmpty());
      assertEquals(0, client.statistics().retries());
    }
  }

  @Test
  void aFailureOfTheSecondNodeDoesNotEndAReadThatTheFirstMayAnswer() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      CompletableFuture<Optional<String>> read = readThatBothHave(nodes, client);
      nodes.node(1).waiting.remove().onError(Status.DATA_LOSS.asRuntimeException());
      nodes.node(0).waiting.element().onNext(GetSliceResponse.getDefaultInstance());
      nodes.node(0).waiting.remove().onCompleted();
      assertTrue(read.join().isEmpty());
    }
  }

  @Test
  void ifBothFailTheCallIsMadeAgain() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      CompletableFuture<Optional<String>> read = readThatBothHave(nodes, client);
      nodes.nodes.forEach(node -> node.hangs = false);
      nodes.nodes.forEach(node -> node.waiting.remove().onError(notReady()));
      assertTrue(read.join().isEmpty());
      assertEquals(1, client.statistics().retries());
    }
  }

  @Test
  void whatIsWrongEverywhereFailsWithoutTheOther() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      CompletableFuture<Optional<String>> read = readThatBothHave(nodes, client);
      nodes
          .node(1)
          .waiting
          .remove()
          .onError(FakeNodes.failure(Status.Code.INVALID_ARGUMENT, "INVALID_REQUEST", "no"));
      assertThrows(InvalidRequestException.class, () -> Transport.await(read));
      Await.until(() -> nodes.node(0).cancelled.get() == 1);
    }
  }

  @Test
  void cancellingTheFutureCancelsBoth() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      CompletableFuture<Optional<String>> read = readThatBothHave(nodes, client);
      read.cancel(false);
      Await.until(() -> nodes.nodes.stream().allMatch(node -> node.cancelled.get() == 1));
      assertNoneInFlight(client);
    }
  }

  @Test
  void writesGoToOneNode() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      nodes.nodes.forEach(node -> node.hangs = true);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      CompletableFuture<?> write = family.async().insert("k", "c", "v");
      // By the time that a read after it has gone to both, so would the write.
      CompletableFuture<?> read = family.async().get("k", "c");
      Await.until(() -> nodes.nodes.stream().allMatch(node -> node.waiting.size() == 1));
      Await.until(() -> nodes.node(0).batches.size() + nodes.node(1).batches.size() > 0);
      assertEquals(1, nodes.node(0).batches.size() + nodes.node(1).batches.size());
      write.cancel(false);
      read.cancel(false);
    }
  }

  @Test
  void withoutSpeculationReadsGoToOneNode() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client =
            nodes.client(
                FIXED
                    .withoutSpeculation()
                    .withCalls(CallOptions.defaults().withDeadline(Duration.ofMillis(100))),
                nodes.node(0),
                nodes.node(1))) {
      nodes.nodes.forEach(node -> node.hangs = true);
      assertThrows(TimedOutException.class, () -> FakeNodes.family(client).get("k", "c"));
      // None where the deadline passed before the read was sent.
      assertTrue(nodes.node(0).slices.size() + nodes.node(1).slices.size() <= 1);
    }
  }

  @Test
  void aClusterThatIsSlowAsAWholeGetsNoMoreThanTheBudget() {
    int reads = SpeculativeReads.RESERVE + 100;
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      nodes.nodes.forEach(node -> node.hangs = true);
      List<CompletableFuture<?>> calls = new ArrayList<>();
      for (int i = 0; i < reads; i++) {
        calls.add(family.async().get("k", "c"));
      }
      Await.until(() -> client.statistics().speculationsRefused() == 100);
      assertEquals(SpeculativeReads.RESERVE, client.statistics().speculativeReads());
      Await.until(
          () ->
              nodes.node(0).slices.size() + nodes.node(1).slices.size()
                  == reads + SpeculativeReads.RESERVE);
      calls.forEach(call -> call.cancel(false));
    }
  }

  @Test
  void aNodeThatLosesAgainAndAgainIsAvoidedForAWhile() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      nodes.node(0).hangs = true;
      int losses = SpeculativeReads.LOSSES_OF_A_NODE_THAT_STANDS_STILL;
      while (client.statistics().speculativeWins() < losses) {
        family.get("k", "c");
      }
      int before = nodes.node(0).slices.size();
      for (int i = 0; i < 100; i++) {
        family.get("k", "c");
      }
      assertEquals(before, nodes.node(0).slices.size(), "no time passes for this client");
      nodes.clock.addAndGet(Retries.AVOIDED.toNanos());
      while (nodes.node(0).slices.size() == before) {
        family.get("k", "c");
      }
    }
  }

  @Test
  void noReadGoesToASecondNodeThatIsUnsound() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client =
            nodes.client(
                FIXED.withCalls(CallOptions.defaults().withDeadline(Duration.ofMillis(100))),
                nodes.node(0),
                nodes.node(1))) {
      client.pool().nodes().get(1).avoid(Retries.AVOIDED);
      nodes.node(0).hangs = true;
      assertThrows(TimedOutException.class, () -> FakeNodes.family(client).get("k", "c"));
      assertEquals(0, nodes.node(1).slices.size());
    }
  }

  @Test
  void theDelayIsThe99thPercentileOfTheNodeWithinBounds() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      SpeculativeReads reads = speculation(client, Speculation.defaults());
      NodeConnection node = client.pool().nodes().get(0);
      assertEquals(100, delayMillis(reads, node), "before anything is known");
      record(node, Latencies.PERIOD, Duration.ofMillis(40));
      assertTrue(Math.abs(delayMillis(reads, node) - 40) <= 10);
      record(node, 20 * Latencies.PERIOD, Duration.ofMillis(1));
      assertEquals(10, delayMillis(reads, node), "what is long ago is forgotten");
      record(node, 2 * Latencies.PERIOD, Duration.ofSeconds(20));
      assertEquals(1_000, delayMillis(reads, node));
      assertEquals(100, delayMillis(reads, client.pool().nodes().get(1)), "each has its own");
    }
  }

  @Test
  void aLossCountsAsAnAnswerAtThatMomentSoThatTheDelayGrowsForANodeThatIsSlowForAllReads() {
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(FIXED, nodes.node(0), nodes.node(1))) {
      SpeculativeReads reads = speculation(client, Speculation.defaults());
      NodeConnection node = client.pool().nodes().get(0);
      record(node, Latencies.PERIOD, Duration.ofMillis(20));
      long before = delayMillis(reads, node);
      for (int i = 0; i < 2 * Latencies.PERIOD; i++) {
        reads.lost(node, Duration.ofMillis(60).toNanos());
      }
      assertTrue(delayMillis(reads, node) > 2 * before);
    }
  }

  @Test
  void theBoundsAreChecked() {
    assertThrows(IllegalArgumentException.class, () -> Speculation.after(Duration.ZERO));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Speculation(Duration.ofMillis(2), Duration.ofMillis(1)));
  }

  private static SpeculativeReads speculation(Colonnade client, Speculation settings) {
    NodePool pool = client.pool();
    return new SpeculativeReads(
        pool, new Replicas(pool, System::nanoTime, false), Optional.of(settings));
  }

  private static void record(NodeConnection node, int times, Duration took) {
    for (int i = 0; i < times; i++) {
      node.latencies().record(took.toNanos());
    }
  }

  private static long delayMillis(SpeculativeReads reads, NodeConnection node) {
    return TimeUnit.NANOSECONDS.toMillis(
        reads.delayNanos(
            new Transport.Request<>(
                ColumnStoreServiceGrpc.getGetSliceMethod(),
                GetSliceRequest.getDefaultInstance(),
                Deadline.after(1, TimeUnit.MINUTES),
                Applied.NO,
                true),
            node));
  }

  private static RuntimeException notReady() {
    return FakeNodes.failure(Status.Code.UNAVAILABLE, "NODE_NOT_READY", "no");
  }

  private static void assertNoneInFlight(Colonnade client) {
    Await.until(() -> client.pool().nodes().stream().allMatch(node -> node.inFlight().get() == 0));
  }

  /** A read that two nodes have got, and do not answer. */
  private static CompletableFuture<Optional<String>> readThatBothHave(
      FakeNodes nodes, Colonnade client) {
    nodes.nodes.forEach(node -> node.hangs = true);
    CompletableFuture<Optional<String>> read = FakeNodes.family(client).async().get("k", "c");
    Await.until(() -> nodes.nodes.stream().allMatch(node -> node.waiting.size() == 1));
    return read;
  }
}
