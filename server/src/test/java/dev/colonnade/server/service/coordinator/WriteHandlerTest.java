package dev.colonnade.server.service.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.Consistency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Writes at every level, with every number of nodes down. */
class WriteHandlerTest {

  @SuppressWarnings("NullAway.Init") // each test makes its own
  private SimulatedCluster cluster;

  private ColumnFamily family(int factor) throws Exception {
    return family(KeyspaceDefinition.of("K").withReplicationFactor(factor));
  }

  private ColumnFamily family(KeyspaceDefinition keyspace) throws Exception {
    SimulatedCluster.Node node = cluster.node(0);
    cluster.await(node.schema().createKeyspace(keyspace));
    cluster.await(node.schema().createFamily(FamilyDefinition.standard("K", "F", "UTF8Type")));
    return cluster.node(0).family("K", "F");
  }

  private String put(int coordinator, ColumnFamily family, String key, Consistency level) {
    return cluster.outcome(cluster.node(coordinator).put(family, key, "c", "v", level));
  }

  private List<Integer> holders(ColumnFamily family, String key) {
    List<Integer> holders = new ArrayList<>();
    for (int i = 0; i < cluster.nodes().size(); i++) {
      if (cluster.await(cluster.node(i).stored(family, key)).equals("c=v")) {
        holders.add(i);
      }
    }
    return holders;
  }

  @Test
  void everyOwnerGetsTheRowAndNoOtherNode() throws Exception {
    cluster = new SimulatedCluster(5);
    ColumnFamily family = family(3);

    assertEquals("ok", put(4, family, "c", Consistency.ONE));
    cluster.scheduler().advance(Duration.ofSeconds(2));

    assertEquals(List.of(1, 2, 3), holders(family, "c"));
    assertEquals(List.of(), cluster.hints());
  }

  @Test
  void whatALevelSaysDependsOnHowManyAreKnownToBeDown() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    List<Consistency> levels =
        List.of(
            Consistency.ZERO,
            Consistency.ANY,
            Consistency.ONE,
            Consistency.TWO,
            Consistency.THREE,
            Consistency.QUORUM,
            Consistency.LOCAL_QUORUM,
            Consistency.EACH_QUORUM,
            Consistency.ALL);
    for (Consistency level : levels) {
      assertEquals("ok", put(0, family, "all up" + level, level), () -> "" + level);
    }

    cluster.down(2);
    assertEquals(
        List.of("ok", "ok", "ok", "ok", "unavailable 2/3", "ok", "ok", "ok", "unavailable 2/3"),
        levels.stream().map(level -> put(0, family, "one down" + level, level)).toList());

    cluster.down(1, 2);
    assertEquals(
        List.of(
            "ok",
            "ok",
            "ok",
            "unavailable 1/2",
            "unavailable 1/3",
            "unavailable 1/2",
            "unavailable 1/2",
            "unavailable 1/2",
            "unavailable 1/3"),
        levels.stream().map(level -> put(0, family, "two down" + level, level)).toList());
  }

  /** A refusal ends the call, whether or not this node has written its own copy by then. */
  private static void assertMissingAtAll(String outcome) {
    assertTrue(List.of("timeout 1/3", "timeout 2/3").contains(outcome), outcome);
  }

  /** Like a node that has left the ring, for a coordinator that has not heard of it. */
  @Test
  void aReplicaThatServesNoMoreTakesNothingAndCountsForNothing() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    cluster.withdraw(2);

    assertEquals("ok", put(0, family, "c", Consistency.QUORUM));
    assertMissingAtAll(put(0, family, "d", Consistency.ALL));
    cluster.scheduler().advance(Duration.ofSeconds(2));

    assertEquals(List.of(0, 1), holders(family, "c"));
    assertEquals(2, cluster.hints().size(), "they are kept for the owners of the rows");
  }

  @Test
  void whatIsUnavailableLeavesNoTrace() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    cluster.down(1, 2);

    assertEquals("unavailable 1/2", put(0, family, "k", Consistency.QUORUM));

    assertEquals(List.of(), cluster.hints());
    cluster.down();
    assertEquals(List.of(), holders(family, "k"));
  }

  @Test
  void whatThisNodesOwnStoreDoesNotTakeIsKeptForItself() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    var stopped = cluster.node(0).engine().stop();
    cluster.await(stopped);

    assertEquals("ok", put(0, family, "k", Consistency.QUORUM));
    cluster.scheduler().advance(Duration.ofSeconds(2));

    assertEquals(
        List.of(SimulatedCluster.id(0)),
        cluster.hints().stream().map(SimulatedCluster.Kept::replica).toList());
  }

  @Test
  void aWriteThatTheOnlyOwnerRefusesLeavesNoHint() throws Exception {
    cluster = new SimulatedCluster(1);
    ColumnFamily family = family(1);
    var stopped = cluster.node(0).engine().stop();
    cluster.await(stopped);

    put(0, family, "k", Consistency.ONE);
    cluster.scheduler().advance(Duration.ofSeconds(2));

    assertEquals(List.of(), cluster.hints());
  }

  @Test
  void oneRowWithTooFewOwnersStopsTheWholeBatch() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(1);
    cluster.down(1);

    // The first row is this node's own, the second one of the node that is down.
    String outcome =
        cluster.outcome(
            cluster
                .node(0)
                .coordinator()
                .write(
                    List.of(
                        cluster.mutation(family, "a", "c", "v"),
                        cluster.mutation(family, "c", "c", "v")),
                    true,
                    Consistency.ONE,
                    cluster.deadline()));

    assertEquals("unavailable 0/1", outcome);
    assertEquals(List.of(), holders(family, "a"));
  }

  @Test
  void aReplicaThatDiesUnnoticedTimesTheCallOutOnlyWhereItIsNeeded() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    cluster.silence(2);

    assertEquals("ok", put(0, family, "q", Consistency.QUORUM));
    assertEquals("timeout 2/3", put(0, family, "all", Consistency.ALL));
    cluster.scheduler().advance(Duration.ofSeconds(2));

    // A hint for the unanswered write is kept for it.
    assertEquals(
        List.of("node2", "node2"),
        cluster.hints().stream().map(SimulatedCluster.Kept::replica).toList());
  }

  /** For a caller without a deadline. */
  @Test
  void anotherTimeoutHoldsForCallsThatBeginAfterwards() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    cluster.silence(1, 2);
    for (Duration timeout : List.of(Duration.ofSeconds(3), Duration.ofMillis(200))) {
      cluster.node(0).coordinator().timeout(timeout);
      long begun = cluster.clock().monotonicNanos();
      String outcome =
          cluster.outcome(
              cluster
                  .node(0)
                  .coordinator()
                  .write(
                      List.of(cluster.mutation(family, "a", "c", "v")),
                      true,
                      Consistency.ALL,
                      Long.MAX_VALUE));
      assertEquals("timeout 1/3", outcome);
      Duration took = Duration.ofNanos(cluster.clock().monotonicNanos() - begun);
      assertTrue(took.minus(timeout).abs().toMillis() < 20, took::toString);
    }
  }

  @Test
  void theTimeoutIsHeardBeforeTheCallersOwnDeadline() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    cluster.silence(1, 2);
    long deadline = cluster.deadline();

    assertEquals("timeout 1/3", put(0, family, "all", Consistency.ALL));

    assertTrue(cluster.clock().monotonicNanos() < deadline);
  }

  @Test
  void aHintIsEnoughForAnyAndForNothingElse() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(1);
    cluster.down(1);

    assertEquals("ok", put(0, family, "c", Consistency.ANY));
    assertEquals("unavailable 0/1", put(0, family, "c", Consistency.ONE));
    assertEquals(1, cluster.hints().size());

    cluster.switchHintsOff();
    assertEquals("unavailable 0/1", put(0, family, "c", Consistency.ANY));
  }

  @Test
  void anyIsContentWithAHintWhenTheOwnerDoesNotAnswer() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(1);
    cluster.silence(1);

    assertEquals("ok", put(0, family, "c", Consistency.ANY));
    assertEquals(1, cluster.hints().size());
  }

  @Test
  void theDeadGetHintsAtOnce() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    cluster.down(2);

    assertEquals("ok", put(0, family, "k", Consistency.QUORUM));

    assertEquals("node2", cluster.hints().get(0).replica());
    assertEquals(cluster.key("k"), cluster.hints().get(0).mutation().key());
  }

  @Test
  void zeroDoesNotWait() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(1);

    assertTrue(cluster.node(0).put(family, "c", "c", "v", Consistency.ZERO).isDone());
    cluster.scheduler().advance(Duration.ofSeconds(1));
    assertEquals(List.of(1), holders(family, "c"));
  }

  @Test
  void aJoiningNodeGetsEveryWriteAndRaisesWhatIsNeeded() throws Exception {
    cluster =
        new SimulatedCluster(
            Partitioners.ORDER_PRESERVING,
            List.of(
                new SimulatedCluster.Seat("dc", Topology.RingState.NORMAL),
                new SimulatedCluster.Seat("dc", Topology.RingState.JOINING),
                new SimulatedCluster.Seat("dc", Topology.RingState.NORMAL)));
    ColumnFamily family = family(1);

    assertEquals("ok", put(0, family, "c", Consistency.ONE));
    assertEquals(List.of(1, 2), holders(family, "c"));

    cluster.down(1);
    assertEquals("unavailable 1/2", put(0, family, "d", Consistency.ONE));
    assertEquals("ok", put(0, family, "e1", Consistency.ONE));
  }

  @Test
  void eachDataCentreHasItsOwnQuorum() throws Exception {
    List<SimulatedCluster.Seat> seats = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      seats.add(new SimulatedCluster.Seat(i % 2 == 0 ? "east" : "west", Topology.RingState.NORMAL));
    }
    cluster = new SimulatedCluster(Partitioners.ORDER_PRESERVING, seats);
    ColumnFamily family =
        family(
            KeyspaceDefinition.of("K")
                .withStrategy("NetworkTopologyStrategy")
                .withDatacenterReplicas(Map.of("east", 3, "west", 3)));

    cluster.down(1, 3);
    assertEquals("ok", put(0, family, "k", Consistency.LOCAL_QUORUM));
    assertEquals("unavailable 1/2", put(5, family, "k", Consistency.LOCAL_QUORUM));
    assertEquals("unavailable 3/4", put(0, family, "k", Consistency.EACH_QUORUM));
    assertEquals("ok", put(0, family, "k", Consistency.QUORUM));

    // Replicas of the other data centre do not count towards a quorum of this one.
    cluster.down();
    cluster.silence(2, 4);
    assertEquals("timeout 1/2", put(0, family, "k", Consistency.LOCAL_QUORUM));
  }

  @Test
  void aReplicaWithoutTheFamilyTakesNothingAndIsOwedTheWrite() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    cluster.silence(2);
    cluster.outcome(cluster.node(2).schema().dropFamily("K", "F"));
    cluster.silence();

    assertEquals("ok", put(0, family, "k", Consistency.QUORUM));
    assertMissingAtAll(put(0, family, "k", Consistency.ALL));

    assertEquals("node2", cluster.hints().get(0).replica());
  }

  @Test
  void aWriteIsOneMessageToEachOtherOwner() throws Exception {
    cluster = new SimulatedCluster(3);
    ColumnFamily family = family(3);
    cluster.network().delivered();

    assertEquals("ok", put(0, family, "k", Consistency.ALL));

    List<Frame> frames = cluster.network().delivered();
    assertEquals(2, frames.stream().filter(f -> f.kind() == Frame.FrameKind.REQUEST).count());
    assertTrue(frames.stream().allMatch(f -> f.verb() == Verb.MUTATION));
    assertEquals(4, frames.size());
  }
}
