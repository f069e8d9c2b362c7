package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.Machine;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.TraceEvent;
import dev.colonnade.v1.TraceStep;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.function.Executable;

/** What the answer of a call says of replicas that are late or differ, and of the call's trace. */
final class TraceFigureClaims {

  static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
  static final String SAMPLED = "00-" + TRACE_ID + "-b7ad6b7169203331-01";

  private static final ConsistencyLevel ALL_REPLICAS = ConsistencyLevel.CONSISTENCY_LEVEL_ALL;

  private final FigureScenario cluster;

  TraceFigureClaims(FigureScenario cluster) {
    this.cluster = cluster;
  }

  void addTo(Map<String, Executable> claims) {
    claims.put("RequestStats.digest_mismatches", () -> replicasThatDiffer("DigestMismatches"));
    claims.put("RequestStats.read_repairs", () -> replicasThatDiffer("ReadRepairs"));
    claims.put("RequestStats.late_replicas", this::aReplicaThatIsLate);
    claims.put("RequestStats.trace_id", this::theTraceThatTheCallerNames);
    claims.put("RequestStats.trace_events_dropped", this::moreEventsThanAreKept);
    claims.put("TraceEvent.micros", () -> timesOfAMessageAndItsAnswer("Micros"));
    claims.put("TraceEvent.duration_micros", () -> timesOfAMessageAndItsAnswer("Duration"));
  }

  private void replicasThatDiffer(String name) {
    String family = cluster.family(name);
    cluster.insert(0, family, "row", "a", "1");
    RequestStats same = cluster.read(0, family, "row", ALL_REPLICAS).getStats();
    assertEquals(0, same.getDigestMismatches());
    assertEquals(0, same.getReadRepairs());
    cluster.await(
        cluster.world.machines().get(1),
        node -> node.core().engine().write(NodeFigureClaims.alone(node, family), true));
    RequestStats differ = cluster.read(0, family, "row", ALL_REPLICAS).getStats();
    assertEquals(1, differ.getDigestMismatches());
    assertEquals(2, differ.getReadRepairs(), "two of three lacked a column");
    assertEquals(0, cluster.read(0, family, "row", ALL_REPLICAS).getStats().getReadRepairs());
  }

  /** Whichever of the others the coordinator prefers, it is late once. */
  private void aReplicaThatIsLate() {
    String family = cluster.family("LateReplicas");
    cluster.insert(0, family, "row", "a", "1");
    List<? extends Machine<CoreNode>> machines = cluster.world.machines();
    int late = 0;
    for (int other = 1; other <= 2; other++) {
      assertEquals(0, quorum(family).getLateReplicas());
      cluster.world.network().clog(machines.get(0), machines.get(other));
      late += quorum(family).getLateReplicas();
      cluster.world.network().heal();
    }
    assertTrue(late == 1 || late == 2, "late: " + late);
  }

  private RequestStats quorum(String family) {
    return cluster.read(0, family, "row", ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM).getStats();
  }

  private void theTraceThatTheCallerNames() {
    String family = cluster.family("TraceId");
    assertEquals("", cluster.cost(0, family, "row").getTraceId());
    assertEquals(
        TRACE_ID, cluster.traced(0, SAMPLED, family, ALL_REPLICAS, "row").getStats().getTraceId());
  }

  private void moreEventsThanAreKept() {
    String family = cluster.family("TraceDropped");
    RequestStats few = cluster.traced(0, SAMPLED, family, ALL_REPLICAS, "row").getStats();
    assertEquals(0, few.getTraceEventsDropped());
    String[] many = IntStream.range(0, 1_000).mapToObj(i -> "row" + i).toArray(String[]::new);
    RequestStats stats = cluster.traced(0, SAMPLED, family, ALL_REPLICAS, many).getStats();
    assertEquals(256, stats.getTraceCount());
    // Of each row: the plan, three replicas asked and answering, and three reads of a store.
    assertTrue(stats.getTraceEventsDropped() > 9_000, "" + stats.getTraceEventsDropped());
  }

  private void timesOfAMessageAndItsAnswer(String name) {
    String family = cluster.family("Trace" + name);
    RequestStats stats = cluster.traced(0, SAMPLED, family, ALL_REPLICAS, "row").getStats();
    long before = 0;
    for (TraceEvent event : stats.getTraceList()) {
      assertTrue(event.getMicros() >= before, "in the order of time: " + stats);
      before = event.getMicros();
    }
    assertTrue(before <= stats.getServerMicros(), "within the call: " + stats);
    for (int other = 1; other <= 2; other++) {
      String peer = cluster.id(other);
      TraceEvent answered =
          stats.getTraceList().stream()
              .filter(event -> event.getStep() == TraceStep.TRACE_STEP_REPLICA_ANSWERED)
              .filter(event -> event.getPeer().equals(peer))
              .findFirst()
              .orElseThrow();
      long took = answered.getDurationMicros();
      // A message takes 100 to 300 µs, and so does its answer.
      assertTrue(took >= 200 && took < 10_000, "a way and back: " + stats);
      assertTrue(answered.getMicros() >= took, "it ended then: " + stats);
    }
  }
}
