package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.TraceEvent;
import dev.colonnade.v1.TraceStep;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the trace of a call shows in a cluster of three simulated nodes. */
final class CallTraceTest {

  private static final String UNSAMPLED =
      "00-" + TraceFigureClaims.TRACE_ID + "-b7ad6b7169203331-00";

  private final FigureScenario cluster = new FigureScenario();

  @BeforeEach
  void begin() throws Exception {
    cluster.begin();
  }

  @AfterEach
  void end() {
    cluster.end();
  }

  private RequestStats traced(String family, ConsistencyLevel level) {
    return cluster.traced(0, TraceFigureClaims.SAMPLED, family, level, "row").getStats();
  }

  private static List<TraceEvent> of(RequestStats stats, TraceStep step) {
    return stats.getTraceList().stream().filter(event -> event.getStep() == step).toList();
  }

  private static List<String> peers(List<TraceEvent> events) {
    return events.stream().map(TraceEvent::getPeer).sorted().toList();
  }

  private static List<String> nodes(List<TraceEvent> events) {
    return events.stream().map(TraceEvent::getNode).sorted().toList();
  }

  @Test
  void replicasThatDifferAreSeenWithTheRepair() {
    String family = cluster.family("Differ");
    cluster.insert(0, family, "row", "a", "secret-value");
    cluster.await(
        cluster.world.machines().get(1),
        node -> node.core().engine().write(NodeFigureClaims.alone(node, family), true));
    RequestStats stats = traced(family, ConsistencyLevel.CONSISTENCY_LEVEL_ALL);
    List<String> all = Stream.of(0, 1, 2).map(cluster::id).sorted().toList();
    assertEquals(1, of(stats, TraceStep.TRACE_STEP_BEGUN).size());
    assertEquals(1, of(stats, TraceStep.TRACE_STEP_PLANNED).size());
    assertEquals(1, of(stats, TraceStep.TRACE_STEP_DIGESTS_DIFFER).size());
    assertEquals(
        Stream.of(0, 2).map(cluster::id).sorted().toList(),
        peers(of(stats, TraceStep.TRACE_STEP_READ_REPAIR)),
        "they lacked the column: " + stats);
    List<TraceEvent> asked = of(stats, TraceStep.TRACE_STEP_REPLICA_ASKED);
    assertEquals(2, asked.stream().filter(e -> e.getDetail().equals("digest")).count());
    assertEquals(3, asked.stream().filter(e -> e.getDetail().equals("data")).count());
    assertTrue(
        nodes(of(stats, TraceStep.TRACE_STEP_STORE_READ)).containsAll(all),
        "each replica tells of its own read: " + stats);
    assertEquals(1, of(stats, TraceStep.TRACE_STEP_ENCODED).size());
    assertFalse(stats.toString().contains("secret-value"), stats.toString());
    assertFalse(stats.toString().contains("row"), "nor is a key in it: " + stats);
  }

  @Test
  void aReplicaThatIsLateIsSeenWithTheOneAskedInItsPlace() {
    String family = cluster.family("Late");
    cluster.insert(0, family, "row", "a", "1");
    // Whichever of the others the coordinator prefers, it is late once.
    for (int other = 1; other <= 2; other++) {
      var machines = cluster.world.machines();
      cluster.world.network().clog(machines.get(0), machines.get(other));
      RequestStats stats = traced(family, ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM);
      cluster.world.network().heal();
      List<TraceEvent> late = of(stats, TraceStep.TRACE_STEP_REPLICA_LATE);
      assertEquals(stats.getLateReplicas(), late.size());
      if (!late.isEmpty()) {
        assertEquals(List.of(cluster.id(other)), peers(late));
        assertTrue(late.get(0).getDurationMicros() > 0, stats.toString());
        List<TraceEvent> instead =
            of(stats, TraceStep.TRACE_STEP_REPLICA_ASKED).stream()
                .filter(event -> event.getDetail().endsWith("in place of another one"))
                .toList();
        assertEquals(List.of(cluster.id(3 - other)), peers(instead));
        return;
      }
    }
    throw new AssertionError("no read asked another node");
  }

  @Test
  void aWriteShowsEachReplicasLogAndMemtable() {
    String family = cluster.family("Written");
    RequestStats stats = cluster.insertTraced(0, TraceFigureClaims.SAMPLED, family).getStats();
    List<String> all = Stream.of(0, 1, 2).map(cluster::id).sorted().toList();
    assertEquals(all, peers(of(stats, TraceStep.TRACE_STEP_REPLICA_ASKED)));
    assertEquals(all, peers(of(stats, TraceStep.TRACE_STEP_REPLICA_ANSWERED)));
    assertEquals(all, nodes(of(stats, TraceStep.TRACE_STEP_MEMTABLE_APPLIED)), stats.toString());
  }

  @Test
  void callsThatAreNotSampledCarryNothingBetweenNodes() {
    String family = cluster.family("Unsampled");
    long before = cluster.world.network().traced();
    cluster.insert(0, family, "row", "a", "1");
    cluster.read(0, family, "row", ConsistencyLevel.CONSISTENCY_LEVEL_ALL);
    for (String header : List.of(UNSAMPLED, "", "no traceparent")) {
      RequestStats stats =
          cluster
              .traced(0, header, family, ConsistencyLevel.CONSISTENCY_LEVEL_ALL, "row")
              .getStats();
      assertEquals(0, stats.getTraceCount());
      assertEquals(header.equals(UNSAMPLED) ? TraceFigureClaims.TRACE_ID : "", stats.getTraceId());
    }
    assertEquals(before, cluster.world.network().traced());
    traced(family, ConsistencyLevel.CONSISTENCY_LEVEL_ALL);
    assertEquals(before + 4, cluster.world.network().traced(), "two requests, two answers");
  }
}
