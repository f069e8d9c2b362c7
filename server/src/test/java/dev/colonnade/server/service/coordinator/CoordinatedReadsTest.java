package dev.colonnade.server.service.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.TraceParent;
import dev.colonnade.server.service.replica.ReplicaReads;
import dev.colonnade.server.service.replica.TouchRead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Reads of one row from several replicas. */
class CoordinatedReadsTest {

  private static final TraceParent SAMPLED =
      Objects.requireNonNull(
          TraceParent.parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));

  private static final List<Consistency> LEVELS =
      List.of(
          Consistency.ONE,
          Consistency.TWO,
          Consistency.THREE,
          Consistency.QUORUM,
          Consistency.LOCAL_QUORUM,
          Consistency.ALL);

  @SuppressWarnings("NullAway.Init") // each test makes its own
  private SimulatedCluster cluster;

  private ColumnFamily family(int factor, double chance) throws Exception {
    SimulatedCluster.Node node = cluster.node(0);
    cluster.await(
        node.schema().createKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(factor)));
    cluster.await(
        node.schema()
            .createFamily(
                FamilyDefinition.standard("K", "F", "UTF8Type")
                    .with(FamilyField.READ_REPAIR_CHANCE, chance)));
    return cluster.node(0).family("K", "F");
  }

  private void put(ColumnFamily family, String key, String column, String value) {
    cluster.await(cluster.node(0).put(family, key, column, value, Consistency.ALL));
  }

  /** Only these nodes get it, as if the others were away and no hints were kept. */
  private void putOn(ColumnFamily family, String key, String column, String value, int... nodes) {
    for (int node : nodes) {
      cluster.await(cluster.node(node).putHere(family, key, column, value));
    }
  }

  private String get(int node, ColumnFamily family, String key, Consistency level) {
    return cluster.await(cluster.node(node).get(family, key, level));
  }

  @Test
  void everyNodeReadsEveryRowAtEveryLevel() throws Exception {
    cluster = new SimulatedCluster(5);
    ColumnFamily family = family(3, 0);
    for (String key : List.of("a", "c", "f", "i", "l", "z")) {
      put(family, key, "c", key);
      for (int node = 0; node < 5; node++) {
        for (Consistency level : LEVELS) {
          assertEquals("c=" + key, get(node, family, key, level), () -> key + " at " + level);
        }
      }
    }
  }

  @Test
  void whatALevelSaysDependsOnHowManyAreDown() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    put(family, "k", "c", "v");

    cluster.down(2);
    assertEquals(
        List.of("ok", "ok", "unavailable 2/3", "ok", "ok", "unavailable 2/3"), outcomes(family));
    cluster.down(1, 2);
    assertEquals(
        List.of(
            "ok",
            "unavailable 1/2",
            "unavailable 1/3",
            "unavailable 1/2",
            "unavailable 1/2",
            "unavailable 1/3"),
        outcomes(family));
    cluster.down();
    cluster.silence(2);
    assertEquals(List.of("ok", "ok", "timeout 2/3", "ok", "ok", "timeout 2/3"), outcomes(family));
  }

  private List<String> outcomes(ColumnFamily family) {
    return LEVELS.stream()
        .map(level -> cluster.outcome(cluster.node(0).get(family, "k", level)))
        .toList();
  }

  @Test
  void agreeingReplicasCostOneMessageEach() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    put(family, "k", "c", "v");
    cluster.network().delivered();

    assertEquals("c=v", get(0, family, "k", Consistency.QUORUM));

    List<Frame> frames = cluster.network().delivered();
    assertEquals(2, frames.size());
    assertTrue(frames.stream().allMatch(frame -> frame.verb() == Verb.READ_DIGEST));
  }

  @Test
  void aPageAndACountMayBeLargerThanWhatAReplicaAnswersAtATime() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    for (int i = 0; i < 3; i++) {
      put(family, "k", "c" + i, "v".repeat(700_000));
    }
    int more = (int) (2 * ReplicaReads.PART_BYTES_MAX);
    String pages = cluster.node(0).pages(family, "k", more, Consistency.ALL);
    assertEquals(3, pages.split("=v{700000}", -1).length - 1);
    assertEquals(3, cluster.await(cluster.node(0).count(family, "k", Consistency.ALL)));
  }

  @Test
  void aReadAtOneOfAnOwnRowSendsNothing() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    put(family, "k", "c", "v");
    cluster.network().delivered();

    assertEquals("c=v", get(1, family, "k", Consistency.ONE));
    assertEquals(List.of(), cluster.network().delivered());
  }

  @Test
  void whatOneReplicaLacksIsMendedBeforeTheAnswer() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    put(family, "k", "a", "old");
    putOn(family, "k", "a", "new", 2);
    putOn(family, "k", "b", "only here", 0);

    assertEquals("a=new b=only here", get(1, family, "k", Consistency.ALL));

    for (SimulatedCluster.Node node : cluster.nodes()) {
      assertEquals("a=new b=only here", cluster.await(node.stored(family, "k")));
    }
    assertEquals(1, cluster.node(1).coordinator().figures().mismatches());
  }

  @Test
  void aQuorumThatSawAValueLetsNoLaterQuorumSeeLess() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    put(family, "k", "c", "old");
    putOn(family, "k", "c", "new", 1);
    cluster.silence(2);
    assertEquals("c=new", get(0, family, "k", Consistency.QUORUM));

    cluster.silence(1);
    assertEquals("c=new", get(2, family, "k", Consistency.QUORUM));
  }

  @Test
  void aWeakReadMendsTheOthersAfterwards() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 1);
    put(family, "k", "c", "old");
    putOn(family, "k", "c", "new", 2);

    assertEquals("c=old", get(0, family, "k", Consistency.ONE));
    cluster.scheduler().advance(Duration.ofSeconds(1));

    assertEquals("c=new", get(0, family, "k", Consistency.ONE));
    assertEquals("c=new", cluster.await(cluster.node(1).stored(family, "k")));
  }

  @Test
  void aSilentReplicaIsGoneRoundAndThenAvoided() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    put(family, "k", "c", "v");
    cluster.silence(1);

    long before = cluster.clock().monotonicNanos();
    assertEquals("c=v", get(0, family, "k", Consistency.QUORUM));
    assertTrue(since(before) < Duration.ofMillis(60).toNanos(), () -> "" + since(before));

    long again = cluster.clock().monotonicNanos();
    assertEquals("c=v", get(0, family, "k", Consistency.QUORUM));
    assertTrue(since(again) < Duration.ofMillis(10).toNanos(), () -> "" + since(again));
  }

  private long since(long nanos) {
    return cluster.clock().monotonicNanos() - nanos;
  }

  @Test
  void aShortAnswerOfOneReplicaHidesNothing() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    for (int i = 0; i < 20; i++) {
      putOn(family, "k", String.format("c%02d", i), "v", i % 3);
    }
    // Most of the first columns were deleted on one replica only.
    for (int i = 0; i < 10; i++) {
      cluster.await(cluster.node(1).deleteHere(family, "k", String.format("c%02d", i)));
    }

    Slice three = new Slice(SimulatedCluster.WHOLE.ranges(), false, false, 3);
    assertEquals(
        "c10=v c11=v c12=v",
        cluster.await(cluster.node(0).page(family, "k", three, 1 << 20, Consistency.ALL)));
    Slice last = new Slice(SimulatedCluster.WHOLE.ranges(), true, false, 3);
    assertEquals(
        "c19=v c18=v c17=v",
        cluster.await(cluster.node(0).page(family, "k", last, 1 << 20, Consistency.ALL)));
  }

  @Test
  void pagesOfSeveralReplicasShowEachCellOnce() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      putOn(family, "k", String.format("c%02d", i), "v", i % 3, (i + 1) % 3);
      all.append(i == 0 ? "" : " ").append(String.format("c%02d=v", i));
    }

    assertEquals(
        all.toString(), cluster.node(1).pages(family, "k", 40, Consistency.QUORUM).toString());
    assertEquals(50, cluster.await(cluster.node(2).count(family, "k", Consistency.QUORUM)));
  }

  @Test
  void cancellingAReadCallsItOffOnTheReplicas() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3, 0);
    put(family, "k", "c", "v");
    cluster.network().delivered();
    cluster
        .network()
        .slow(route -> route.frame().kind() == Frame.FrameKind.REPLY, Duration.ofMillis(9));

    CompletableFuture<String> read = cluster.node(0).get(family, "k", Consistency.QUORUM);
    assertFalse(read.isDone());
    cluster.node(0).lastRead().cancel(false);
    cluster.scheduler().advance(Duration.ofMillis(5));

    assertTrue(
        cluster.network().delivered().stream()
            .anyMatch(frame -> frame.kind() == Frame.FrameKind.CANCEL));
  }

  @Test
  void aSessionAtQuorumReadsItsWritesWhateverIsLost() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      cluster = new SimulatedCluster(3);
      ColumnFamily family = family(3, 0);
      RandomSource random = new SeededRandom(seed);
      cluster.network().lose(route -> random.nextInt(100) < 20);
      int acknowledged = -1;
      int seen = -1;
      int reads = 0;
      for (int i = 0; i < 60; i++) {
        cluster.scheduler().advance(Duration.ofMillis(10));
        String value = String.format("%03d", i);
        SimulatedCluster.Node writer = cluster.node(random.nextInt(3));
        if (cluster.outcome(writer.put(family, "k", "c", value, Consistency.QUORUM)).equals("ok")) {
          acknowledged = i;
        }
        CompletableFuture<String> read =
            cluster.node(random.nextInt(3)).get(family, "k", Consistency.QUORUM);
        if (cluster.outcome(read).equals("ok")) {
          String found = read.join();
          int version = found.isEmpty() ? -1 : Integer.parseInt(found.substring(2));
          String history = "seed " + seed + ", step " + i + ": " + version;
          assertTrue(version >= acknowledged, history + " after ack " + acknowledged);
          assertTrue(version >= seen, history + " after " + seen);
          seen = version;
          reads++;
        }
      }
      assertTrue(reads > 10, "seed " + seed + " had " + reads + " reads");
    }
  }

  @Test
  void touchingReachesTheOwnersWhereverItIsAsked() throws Exception {
    cluster = new SimulatedCluster(5);
    ColumnFamily family = family(2, 0);
    put(family, "a", "c", "v");
    put(family, "f", "c", "v");

    assertEquals(
        2,
        cluster.await(
            cluster
                .node(4)
                .coordinator()
                .touch(
                    new TouchRead(
                        family,
                        List.of(cluster.key("a"), cluster.key("f"), cluster.key("nothing")),
                        true,
                        cluster.deadline()))));

    cluster.down(0, 1);
    assertEquals(
        "unavailable 0/1",
        cluster.outcome(
            cluster
                .node(4)
                .coordinator()
                .touch(
                    new TouchRead(family, List.of(cluster.key("a")), true, cluster.deadline()))));
  }

  @Test
  void aTraceOfTouchingShowsEachOwnersReadAndNoKey() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(2, 0);
    put(family, "secret", "c", "v");
    long before = cluster.clock().monotonicNanos();
    CallTrace trace = new CallTrace(cluster.clock(), SAMPLED, "coordinator", before);
    TouchRead touch =
        new TouchRead(
            family,
            List.of(cluster.key("secret"), cluster.key("nothing")),
            true,
            cluster.deadline(),
            trace);
    assertEquals(1, cluster.await(cluster.node(2).coordinator().touch(touch)));
    Set<String> asked = peers(trace, CallTrace.Step.REPLICA_ASKED);
    assertTrue(asked.size() >= 2, trace.events()::toString);
    assertEquals(asked, peers(trace, CallTrace.Step.REPLICA_ANSWERED));
    List<String> reads =
        trace.events().stream()
            .filter(event -> event.step() == CallTrace.Step.STORE_READ)
            .map(CallTrace.Event::detail)
            .toList();
    assertEquals(asked.size(), reads.size(), trace.events()::toString);
    assertTrue(reads.stream().allMatch(detail -> detail.startsWith("rows touched ")), "" + reads);
    assertFalse(trace.events().toString().contains("secret"), trace.events()::toString);
  }

  private static Set<String> peers(CallTrace trace, CallTrace.Step step) {
    return trace.events().stream()
        .filter(event -> event.step() == step)
        .map(CallTrace.Event::peer)
        .collect(Collectors.toSet());
  }

  @Test
  void whileANodeJoinsAQuorumIsOfBothSetsOfOwners() throws Exception {
    List<SimulatedCluster.Seat> seats = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      seats.add(
          new SimulatedCluster.Seat(
              "dc", i == 1 ? Topology.RingState.JOINING : Topology.RingState.NORMAL));
    }
    cluster = new SimulatedCluster(Partitioners.ORDER_PRESERVING, seats);
    ColumnFamily family = family(3, 0);
    // The state after a failed write that reached two owners.
    putOn(family, "a", "c", "v", 0, 2);
    cluster.down(3);

    assertEquals("c=v", get(2, family, "a", Consistency.QUORUM));

    assertEquals("c=v", cluster.await(cluster.node(1).stored(family, "a")));
  }

  /** Six nodes, every other one in the west; all of them own everything. */
  private ColumnFamily familyInTwoDatacenters() throws Exception {
    List<SimulatedCluster.Seat> seats = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      seats.add(new SimulatedCluster.Seat(i % 2 == 0 ? "east" : "west", Topology.RingState.NORMAL));
    }
    cluster = new SimulatedCluster(Partitioners.ORDER_PRESERVING, seats);
    SimulatedCluster.Node node = cluster.node(0);
    cluster.await(
        node.schema()
            .createKeyspace(
                KeyspaceDefinition.of("K")
                    .withStrategy("NetworkTopologyStrategy")
                    .withDatacenterReplicas(Map.of("east", 3, "west", 3))));
    cluster.await(node.schema().createFamily(FamilyDefinition.standard("K", "F", "UTF8Type")));
    return node.family("K", "F");
  }

  @Test
  void whoIsLateInOneDataCentreIsStoodInForByAnotherThere() throws Exception {
    ColumnFamily family = familyInTwoDatacenters();
    put(family, "k", "c", "v");

    for (int late = 1; late <= 5; late++) {
      cluster.silence(late);
      CompletableFuture<String> read = cluster.node(0).get(family, "k", Consistency.EACH_QUORUM);
      assertEquals("ok", cluster.outcome(read), "node " + late + " is silent");
      assertEquals("c=v", read.join());
    }
  }

  @Test
  void whoRefusesInOneDataCentreIsStoodInForByAnotherThere() throws Exception {
    for (int broken = 1; broken <= 5; broken++) {
      ColumnFamily family = familyInTwoDatacenters();
      put(family, "k", "c", "v");
      cluster.await(cluster.node(broken).dropHere(family));

      CompletableFuture<String> read = cluster.node(0).get(family, "k", Consistency.EACH_QUORUM);

      assertEquals("ok", cluster.outcome(read), "node " + broken + " refuses");
    }
  }
}
