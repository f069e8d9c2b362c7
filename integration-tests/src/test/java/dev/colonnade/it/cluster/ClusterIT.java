package dev.colonnade.it.cluster;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ALL;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ANY;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ONE;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Serializers;
import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Three nodes as processes, started once, because a start costs seconds: each test finds them all
 * up, and may leave them in any state. The second one keeps no hints.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ClusterIT {

  private static final int NODES = 3;
  private static final int WITHOUT_HINTS = 1;
  private static final int ROWS = 100;
  private static final Duration LIMIT = TestCluster.LIMIT;

  /** With a heartbeat each second, phi reaches 5 after some 12 s; a busy machine may be late. */
  private static final Duration CONVICTION = Duration.ofSeconds(20);

  private final TestCluster cluster;
  private final Rows everywhere = new Rows("Everywhere");
  private final Rows single = new Rows("Single");
  private final Rows centres = new Rows("Centres");

  ClusterIT(@TempDir Path folder) throws IOException {
    cluster = TestCluster.start(folder, NODES, WITHOUT_HINTS);
  }

  @BeforeAll
  void define() {
    cluster.create(everywhere.definition(NODES));
    cluster.create(single.definition(1));
    KeyspaceDef.Builder byCentre =
        centres
            .definition()
            .setReplicaPlacementStrategy("NetworkTopologyStrategy")
            .putDatacenterReplicas("datacenter1", NODES);
    cluster.create(byCentre.build());
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  static List<ConsistencyTable> cells() {
    return ConsistencyTable.cells();
  }

  /** A column of the table is what one number of nodes that are down allows. */
  @Order(1)
  @ParameterizedTest(name = "{0}")
  @MethodSource("cells")
  void aLevelIsServedJustWhenEnoughReplicasAreUp(ConsistencyTable cell) throws IOException {
    if (cell.down() == 0) {
      cluster.makeWhole();
      everywhere.write(cluster.node(0), "known", "v", CONSISTENCY_LEVEL_ALL);
      centres.write(cluster.node(0), "known", "v", CONSISTENCY_LEVEL_ALL);
    } else {
      cluster.bringDown(cell.down());
    }
    for (Rows rows : List.of(everywhere, centres)) {
      if (rows.equals(everywhere) && cell.level().name().matches(".*(LOCAL|EACH)_QUORUM")) {
        continue;
      }
      cell.expectWrite("a write", () -> rows.write(cluster.node(0), cell.key(), "v", cell.level()));
      cell.expectWrite(
          "a batch",
          () ->
              rows.writeAll(
                  cluster.node(0),
                  Map.of(cell.key() + "a", "v", cell.key() + "b", "v"),
                  cell.level()));
      cell.expectRead(
          "a read",
          () -> assertEquals(Optional.of("v"), rows.read(cluster.node(0), "known", cell.level())));
      cell.expectRead(
          "a multiget", () -> rows.readAll(cluster.node(0), List.of("known", "x"), cell.level()));
      cell.expectRead("a scan", () -> rows.scan(cluster.node(0), cell.level()));
    }
  }

  @Order(2)
  @Test
  void whatWasRefusedWasWrittenNowhere() throws IOException {
    cluster.makeWhole();
    for (ConsistencyTable cell : cells()) {
      if (!cell.isMet()) {
        for (String key : List.of(cell.key(), cell.key() + "a", cell.key() + "b")) {
          assertEquals(
              Optional.empty(),
              centres.read(cluster.node(0), key, CONSISTENCY_LEVEL_ALL),
              () -> key + " was refused, and is there");
        }
      }
    }
    // A node that keeps no hints accepts those that others kept for it.
    String key = ConsistencyTable.keyOfWriteAtOne();
    String target = cluster.view(WITHOUT_HINTS).id();
    Await.until(
        () -> cluster.view(0).hintsFor(target) == 0,
        LIMIT,
        () -> cluster.view(0).hintsFor(target) + " hints are still kept");
    assertEquals(
        Optional.of("v"), centres.read(cluster.node(WITHOUT_HINTS), key, CONSISTENCY_LEVEL_ONE));
  }

  @Order(3)
  @Test
  void withoutItsOnlyReplicaARowCanBeNeitherReadNorWrittenExceptAsAHint() throws IOException {
    cluster.makeWhole();
    String dead = cluster.view(2).id();
    String lost = keyOf(dead);
    String sound = keyOf(cluster.view(0).id());
    single.write(cluster.node(0), lost, "before", CONSISTENCY_LEVEL_ONE);
    single.write(cluster.node(0), sound, "before", CONSISTENCY_LEVEL_ONE);
    cluster.bringDown(1);
    for (var level :
        List.of(CONSISTENCY_LEVEL_ONE, CONSISTENCY_LEVEL_QUORUM, CONSISTENCY_LEVEL_ALL)) {
      ConsistencyTable.expectUnavailable(
          "a read", 1, 0, () -> single.read(cluster.node(0), lost, level));
      ConsistencyTable.expectUnavailable(
          "a write", 1, 0, () -> single.write(cluster.node(0), lost, "after", level));
      ConsistencyTable.expectUnavailable(
          "a multiget", 1, 0, () -> single.readAll(cluster.node(0), List.of(sound, lost), level));
      ConsistencyTable.expectUnavailable("a scan", 1, 0, () -> single.scan(cluster.node(0), level));
      assertEquals(Optional.of("before"), single.read(cluster.node(1), sound, level));
      single.write(cluster.node(1), sound, "before", level);
    }
    CallFailure truncation =
        ConsistencyTable.refusal(
            "a truncation",
            () ->
                cluster
                    .node(0)
                    .schema()
                    .truncateColumnFamily(
                        TruncateColumnFamilyRequest.newBuilder()
                            .setKeyspace(single.keyspace())
                            .setName(Rows.FAMILY)
                            .build()));
    assertEquals(Status.Code.UNAVAILABLE, truncation.code(), truncation::toString);
    // The node that keeps no hints cannot say that any node has it.
    ConsistencyTable.expectUnavailable(
        "a write at ANY without hints",
        1,
        0,
        () -> single.write(cluster.node(WITHOUT_HINTS), lost, "after", CONSISTENCY_LEVEL_ANY));
    single.write(cluster.node(0), lost, "after", CONSISTENCY_LEVEL_ANY);
    assertEquals(1, cluster.view(0).hintsFor(dead));
    cluster.makeWhole();
    Await.until(
        () ->
            single.read(cluster.node(0), lost, CONSISTENCY_LEVEL_ONE).equals(Optional.of("after")),
        LIMIT,
        () -> "the hint did not arrive; kept are " + cluster.view(0).hintsFor(dead));
  }

  /** One of which a node has the only copy. */
  private String keyOf(String nodeId) {
    for (int i = 0; ; i++) {
      if (cluster.view(0).owners(single.keyspace(), "single" + i).equals(List.of(nodeId))) {
        return "single" + i;
      }
    }
  }

  @Order(4)
  @Test
  void aKilledNodeGetsAsHintsWhatItMissed() throws IOException {
    cluster.makeWhole();
    for (int i = 0; i < ROWS; i++) {
      everywhere.write(cluster.node(i % NODES), "hint" + i, "first", CONSISTENCY_LEVEL_QUORUM);
    }
    for (int i = 0; i < ROWS; i++) {
      assertEquals(
          Optional.of("first"),
          everywhere.read(cluster.node((i + 1) % NODES), "hint" + i, CONSISTENCY_LEVEL_QUORUM));
    }
    String killed = cluster.view(2).id();
    cluster.kill(2);
    long since = System.nanoTime();
    CallFailure late =
        ConsistencyTable.refusal(
            "a write to all just after the kill",
            () -> everywhere.write(cluster.node(0), "late", "v", CONSISTENCY_LEVEL_ALL));
    assertEquals("REPLICA_TIMEOUT", late.reason(), late::toString);
    assertEquals(Status.Code.DEADLINE_EXCEEDED, late.code(), late::toString);
    assertEquals(NODES, late.number("required"), late::toString);
    // Abandoned as soon as it could not be met any more.
    assertTrue(late.number("received") < NODES, late::toString);
    assertEquals("unknown", late.details().get("applied"), late::toString);
    CallFailure read =
        ConsistencyTable.refusal(
            "a read of all just after the kill",
            () -> everywhere.read(cluster.node(0), "hint0", CONSISTENCY_LEVEL_ALL));
    assertEquals("REPLICA_TIMEOUT", read.reason(), read::toString);
    for (int i = 0; i < ROWS; i++) {
      everywhere.write(cluster.node(0), "hint" + i, "second", CONSISTENCY_LEVEL_QUORUM);
      assertEquals(
          Optional.of("second"),
          everywhere.read(cluster.node(1), "hint" + i, CONSISTENCY_LEVEL_QUORUM));
    }
    cluster.awaitUp(NODES - 1);
    Duration convicted = Duration.ofNanos(System.nanoTime() - since);
    assertTrue(convicted.compareTo(CONVICTION) < 0, () -> "counted as down after " + convicted);
    assertEquals(0, cluster.view(WITHOUT_HINTS).hintsFor(killed));
    assertTrue(
        cluster.view(0).hintsFor(killed) >= ROWS,
        () -> cluster.view(0).hintsFor(killed) + " hints are kept for the killed node");
    cluster.restart(2);
    cluster.awaitUp(NODES);
    Await.until(
        () -> cluster.view(0).hintsFor(killed) == 0,
        LIMIT,
        () -> cluster.view(0).hintsFor(killed) + " hints are still kept");
    for (int i = 0; i < ROWS; i++) {
      assertEquals(
          Optional.of("second"),
          everywhere.read(cluster.node(2), "hint" + i, CONSISTENCY_LEVEL_ONE));
    }
    // At ONE a replica answers from its own store, and only hints can have brought it these rows.
    assertEquals(0, cluster.view(2).messages("READ_ROW").getSent());
    assertEquals(0, cluster.view(2).messages("READ_REPAIR").getReceived());
    assertTrue(cluster.view(2).messages("HINT").getReceived() > 0);
  }

  @Order(5)
  @Test
  void aReadAtQuorumMendsAStaleReplicaAndRepairMendsWhatIsNotRead() throws Exception {
    cluster.makeWhole();
    Map<String, String> old = new LinkedHashMap<>();
    Map<String, String> fresh = new LinkedHashMap<>();
    for (int i = 0; i < 2 * ROWS; i++) {
      old.put("stale" + i, "old");
      fresh.put("stale" + i, "new");
    }
    everywhere.writeAll(cluster.node(0), old, CONSISTENCY_LEVEL_ALL);
    cluster.bringDown(1);
    everywhere.writeAll(cluster.node(WITHOUT_HINTS), fresh, CONSISTENCY_LEVEL_QUORUM);
    cluster.makeWhole();
    for (int i = 0; i < ROWS; i++) {
      String key = "stale" + i;
      assertEquals(
          Optional.of("old"), everywhere.read(cluster.node(2), key, CONSISTENCY_LEVEL_ONE));
      assertEquals(
          Optional.of("new"), everywhere.read(cluster.node(2), key, CONSISTENCY_LEVEL_QUORUM));
      assertEquals(
          Optional.of("new"), everywhere.read(cluster.node(2), key, CONSISTENCY_LEVEL_ONE));
    }
    assertEquals(ROWS, cluster.view(2).metric("colonnade_replica_reads_mismatched_total", ""));
    for (int i = ROWS; i < 2 * ROWS; i++) {
      assertEquals(
          Optional.of("old"), everywhere.read(cluster.node(2), "stale" + i, CONSISTENCY_LEVEL_ONE));
    }
    RepairCall repair = RepairCall.start(cluster.node(2), everywhere.keyspace());
    repair.end();
    assertTrue(repair.mismatched() > 0, "the replicas differed");
    for (int i = ROWS; i < 2 * ROWS; i++) {
      assertEquals(
          Optional.of("new"), everywhere.read(cluster.node(2), "stale" + i, CONSISTENCY_LEVEL_ONE));
    }
    repair = RepairCall.start(cluster.node(2), everywhere.keyspace());
    repair.end();
    assertEquals(0, repair.mismatched(), "the replicas are equal now");
  }

  @EnabledIfSystemProperty(named = "colonnade.cluster.long", matches = "true")
  @Order(6)
  @Test
  void inARollingRestartWithDrainNoCallAtQuorumFails() throws IOException {
    cluster.makeWhole();
    try (QuorumLoad load = QuorumLoad.start(everywhere, cluster, NODES, 2 * NODES)) {
      load.goOn();
      for (int i = 0; i < NODES; i++) {
        cluster.view(i).drain();
        load.goOn();
        cluster.stop(i);
        load.goOn();
        cluster.restart(i);
        cluster.awaitUp(NODES);
      }
      load.goOn();
      assertEquals("", load.lostAt(cluster.node(0)));
      assertEquals("", load.failures());
      assertTrue(load.switches() >= NODES, "clients of a node that stops go to another one");
    }
  }

  @Order(7)
  @Test
  void aCancelledScanStopsOnTheReplicas() throws Exception {
    cluster.makeWhole();
    new CancelledScan(cluster, single).run();
  }

  /** Half a minute, most of it until the dead node counts as dead. */
  @EnabledIfSystemProperty(named = "colonnade.cluster.long", matches = "true")
  @Order(8)
  @Test
  void aRepairWhoseOtherSideDiesSaysSoAndGoesOnWhenItIsAskedAgain() throws Exception {
    cluster.makeWhole();
    Map<String, String> fresh = new LinkedHashMap<>();
    for (int i = 0; i < ROWS; i++) {
      fresh.put("large" + i, "x".repeat(30_000));
    }
    cluster.bringDown(1);
    everywhere.writeAll(cluster.node(WITHOUT_HINTS), fresh, CONSISTENCY_LEVEL_QUORUM);
    cluster.makeWhole();
    RepairCall interrupted = RepairCall.start(cluster.node(2), everywhere.keyspace());
    interrupted.untilMismatch();
    cluster.kill(0);
    CallFailure refusal = ConsistencyTable.refusal("the repair", interrupted::end);
    assertEquals("RING_CHANGE_FAILED", refusal.reason(), refusal::toString);
    cluster.makeWhole();
    RepairCall again = RepairCall.start(cluster.node(2), everywhere.keyspace());
    again.end();
    for (String key : fresh.keySet()) {
      assertTrue(everywhere.read(cluster.node(2), key, CONSISTENCY_LEVEL_ONE).isPresent());
    }
    RepairCall check = RepairCall.start(cluster.node(2), everywhere.keyspace());
    check.end();
    assertEquals(0, check.mismatched(), "the replicas are equal now");
  }

  @Order(9)
  @Test
  void aWipedNodeIsRefusedAndTakesItsOldPlaceWhenItIsToldTo() throws IOException {
    cluster.makeWhole();
    Map<String, String> kept = new LinkedHashMap<>();
    for (int i = 0; i < ROWS; i++) {
      kept.put("kept" + i, "v");
    }
    everywhere.writeAll(cluster.node(0), kept, CONSISTENCY_LEVEL_ALL);
    String former = cluster.view(2).id();
    cluster.bringDown(1);
    WipedDisk.empty(cluster.data(2));
    LocalNode.Settings unchanged = cluster.settings(2, "--no-bootstrap");
    String refusal =
        String.valueOf(
            assertThrows(IOException.class, () -> LocalNode.process(unchanged)).getMessage());
    assertTrue(refusal.contains("--replace " + former), refusal);
    cluster.replace(2, LocalNode.process(cluster.settings(2, "--replace", former)));
    cluster.awaitUp(NODES);
    for (String key : kept.keySet()) {
      assertEquals(Optional.of("v"), everywhere.read(cluster.node(2), key, CONSISTENCY_LEVEL_ONE));
    }
    assertEquals(NODES, cluster.view(0).ring().size(), "the former node is not in the ring");
  }

  @EnabledIfSystemProperty(named = "colonnade.cluster.long", matches = "true")
  @Order(10)
  @Test
  void aFourthNodeJoinsUnderLoadThoughKilledOnTheWayAndLeavesAgain() throws Exception {
    cluster.makeWhole();
    new FourthNode(cluster, everywhere).run();
  }

  @Order(11)
  @Test
  void heartbeatsAreOnTimeWhileTheDataChannelIsFull() throws Exception {
    cluster.makeWhole();
    new SaturatedChannel(cluster, everywhere).run();
  }

  @Order(12)
  @Test
  void aClientOfTheClusterHidesThatANodeIsKilled() throws Exception {
    cluster.makeWhole();
    try (FailoverLoad load = FailoverLoad.start(everywhere, cluster, 16)) {
      load.goOn(1_000);
      assertEquals("", load.failures());
      // The contact point, too: the client has found the others.
      cluster.kill(0);
      load.goOn(2_000);
      assertEquals("", load.failures());
      // A call that hung would have waited for its deadline of ten seconds.
      Duration longest = load.longest();
      assertTrue(longest.compareTo(Duration.ofSeconds(5)) < 0, longest::toString);
    }
  }

  @Order(13)
  @Test
  void aClientOfTheClusterCallsNodesThatHoldTheRow() throws IOException {
    cluster.makeWhole();
    long before = readsSent();
    single.read(cluster.node(0), keyOf(cluster.view(1).id()), CONSISTENCY_LEVEL_ONE);
    assertEquals(before + 1, readsSent(), "a node that does not hold a row asks one that does");
    try (Colonnade client = FailoverLoad.client(cluster)) {
      ColumnFamily<String, String, String> family =
          client
              .keyspace(single.keyspace())
              .columnFamily(Rows.FAMILY, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
      Await.until(
          () -> {
            long sent = readsSent();
            for (int i = 0; i < 30; i++) {
              family.get("owned" + i, "c");
            }
            return readsSent() == sent;
          },
          LIMIT,
          () -> "nodes still read from each other");
    }
  }

  @Order(14)
  @Test
  void aReadOfANodeThatStandsStillIsAnsweredByAnother() throws IOException {
    cluster.makeWhole();
    try (Colonnade client = FailoverLoad.client(cluster)) {
      ColumnFamily<String, String, String> family =
          client
              .keyspace(everywhere.keyspace())
              .columnFamily(Rows.FAMILY, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
      Await.until(
          () -> {
            family.get("k", "c");
            return client.statistics().nodes() == NODES;
          },
          LIMIT,
          () -> "the client did not find all nodes");
      cluster.signal(1, "STOP");
      try {
        long longest = 0;
        for (int i = 0; i < 200; i++) {
          long begin = System.nanoTime();
          family.get("k" + i, "c");
          longest = Math.max(longest, System.nanoTime() - begin);
        }
        // A read that waited for the node that stands still would wait for ten seconds.
        Duration most = Duration.ofNanos(longest);
        assertTrue(most.compareTo(Duration.ofSeconds(5)) < 0, most::toString);
        assertTrue(client.statistics().speculativeWins() > 0, client.statistics()::toString);
      } finally {
        cluster.signal(1, "CONT");
      }
    }
  }

  private long readsSent() {
    long sent = 0;
    for (int i = 0; i < NODES; i++) {
      sent += cluster.view(i).messages("READ_ROW").getSent();
    }
    return sent;
  }
}
