package dev.colonnade.server.sim.cluster;

import static dev.colonnade.server.sim.cluster.FigureScenario.ALL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.MessageStats;
import dev.colonnade.admin.v1.StageStats;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.sim.LinkFaults;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.sim.World;
import dev.colonnade.v1.ConsistencyLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.function.Executable;

/** What a node says of its stages, and of its messages with others. */
final class TrafficFigureClaims {

  private static final String TREE = "REPAIR_TREE";

  private final FigureScenario cluster;

  TrafficFigureClaims(FigureScenario cluster) {
    this.cluster = cluster;
  }

  void addTo(Map<String, Executable> claims) {
    claims.put("StageStats.active", this::aTaskThatRuns);
    claims.put("StageStats.pending", this::aTaskThatWaits);
    claims.put("StageStats.completed", this::aTaskThatEnds);
    claims.put("StageStats.still_millis", this::aTaskThatStandsStill);
    claims.put("StageStats.dropped", this::aTaskForWhichThereIsNoRoom);
    claims.put("MessageStats.sent", this::aQuestionAndItsAnswer);
    claims.put("MessageStats.received", this::aQuestionAndItsAnswer);
    claims.put("MessageStats.latency_micros", this::aQuestionAndItsAnswer);
    claims.put("MessageStats.failed", this::aQuestionThatFails);
    claims.put("MessageStats.timed_out", this::aQuestionThatGetsLost);
    claims.put("MessageStats.dropped", this::anAnswerThatComesTooLate);
    claims.put("MessageStats.cancelled", this::aQuestionThatIsCalledOff);
  }

  private Machine<CoreNode> machine(int index) {
    return cluster.world.machines().get(index);
  }

  private SimScheduler scheduler() {
    return machine(0).scheduler().orElseThrow();
  }

  /** Nothing but the test uses it. */
  private StageStats stage() {
    return cluster.stats(0).getStagesList().stream()
        .filter(stage -> stage.getName().equals("compaction"))
        .findFirst()
        .orElseThrow();
  }

  private void aTaskThatRuns() {
    List<Integer> active = new ArrayList<>();
    assertEquals(0, stage().getActive());
    scheduler().submit(Stage.COMPACTION, () -> active.add(stage().getActive()));
    assertTrue(cluster.world.runUntil(() -> !active.isEmpty(), FigureScenario.LIMIT));
    assertEquals(List.of(1), active);
  }

  private void aTaskThatStandsStill() {
    List<Long> still = new ArrayList<>();
    assertEquals(0, stage().getStillMillis());
    scheduler()
        .submit(
            Stage.COMPACTION,
            () -> {
              var unused =
                  scheduler()
                      .after(
                          Duration.ofSeconds(2),
                          Stage.CONTROL,
                          () -> still.add(stage().getStillMillis()));
              scheduler().stall(Duration.ofSeconds(3));
            });
    assertTrue(cluster.world.runUntil(() -> !still.isEmpty(), FigureScenario.LIMIT));
    FigureScenario.requireNear(2_000, still.get(0), 50);
    cluster.world.advance(Duration.ofSeconds(10));
    assertEquals(0, stage().getStillMillis());
  }

  private void aTaskThatWaits() {
    assertEquals(0, stage().getPending());
    scheduler().submit(Stage.COMPACTION, () -> {});
    scheduler().submit(Stage.COMPACTION, () -> {});
    assertEquals(2, stage().getPending());
    cluster.world.advance(Duration.ofSeconds(1));
    assertEquals(0, stage().getPending());
  }

  private void aTaskThatEnds() {
    long before = stage().getCompleted();
    scheduler().submit(Stage.COMPACTION, () -> {});
    assertEquals(before, stage().getCompleted());
    cluster.world.advance(Duration.ofMillis(1));
    assertEquals(before + 1, stage().getCompleted());
  }

  private void aTaskForWhichThereIsNoRoom() {
    assertEquals(0, stage().getDropped());
    int refused = 0;
    for (int i = 0; i < World.Settings.DEFAULT.queuePlaces() + 2; i++) {
      refused += scheduler().submit(Stage.COMPACTION, () -> {}) ? 0 : 1;
    }
    assertEquals(2, refused);
    assertEquals(2, stage().getDropped());
    cluster.world.advance(Duration.ofSeconds(1));
  }

  private MessageStats messages(int at, String verb) {
    return cluster.stats(at).getMessagesList().stream()
        .filter(each -> each.getVerb().equals(verb))
        .findFirst()
        .orElseThrow();
  }

  private void aQuestionAndItsAnswer() {
    String family = cluster.family("Messages" + cluster.world.events());
    MessageStats before = messages(0, "MUTATION");
    long received = messages(1, "MUTATION").getReceived();
    cluster.insert(0, family, "row", "a", "1");
    MessageStats after = messages(0, "MUTATION");
    assertEquals(before.getSent() + 2, after.getSent());
    assertEquals(before.getReceived(), after.getReceived());
    assertEquals(received + 1, messages(1, "MUTATION").getReceived());
    // A message takes 100 to 300 µs, and so does its answer.
    double mean = after.getLatencyMicros();
    assertTrue(mean >= 200 && mean < 100_000, "a way and back: " + mean);
  }

  private void aQuestionThatFails() throws Exception {
    String family = cluster.family("Failing");
    cluster.insert(0, family, "row", "a", "1");
    machine(1).disk().plan().clear();
    var id = cluster.node(1).family(ALL, family).id();
    cluster.await(machine(1), node -> node.core().engine().dropFamily(id));
    long before = messages(0, "READ_ROW").getFailed() + messages(0, "READ_DIGEST").getFailed();
    String refusal =
        String.valueOf(
            cluster.thrown(
                machine(0),
                node ->
                    new CoreRegisters(ALL, family, Consistency.ALL, Duration.ofSeconds(2))
                        .read(node, "row")));
    assertTrue(refusal.contains("ReplicaTimeout"), refusal);
    long after = messages(0, "READ_ROW").getFailed() + messages(0, "READ_DIGEST").getFailed();
    assertEquals(before + 1, after);
  }

  private void aQuestionThatGetsLost() {
    String family = cluster.family("Lost");
    cluster.insert(0, family, "row", "a", "1");
    long before = messages(0, "MUTATION").getTimedOut();
    cluster.world.network().faults(machine(0), machine(1), LinkFaults.FAIR.withLoss(1_000));
    insertAtOne(family);
    cluster.world.advance(Duration.ofSeconds(30));
    cluster.world.network().heal();
    cluster.world.network().faults(LinkFaults.FAIR);
    assertEquals(before + 1, messages(0, "MUTATION").getTimedOut());
  }

  private void insertAtOne(String family) {
    cluster.insert(
        0, family, "row", FigureScenario.column("a", "2"), ConsistencyLevel.CONSISTENCY_LEVEL_ONE);
  }

  private void anAnswerThatComesTooLate() {
    String family = cluster.family("Late");
    cluster.insert(0, family, "row", "a", "1");
    long before = messages(0, "MUTATION").getDropped();
    cluster
        .world
        .network()
        .faults(
            machine(1),
            machine(0),
            LinkFaults.FAIR.withDelay(Duration.ofSeconds(15), Duration.ofMillis(1)));
    insertAtOne(family);
    cluster.world.advance(Duration.ofSeconds(30));
    cluster.world.network().faults(LinkFaults.FAIR);
    assertEquals(before + 1, messages(0, "MUTATION").getDropped());
    cluster.awaitRing(3);
  }

  /** A hash tree that another node is still making. */
  private void aQuestionThatIsCalledOff() throws Exception {
    String family = cluster.family("CalledOff");
    // Each row is a step of its own, and messages are faster than a step.
    cluster
        .world
        .network()
        .faults(LinkFaults.FAIR.withDelay(Duration.ofNanos(1_000), Duration.ofNanos(1)));
    for (int i = 0; i < 30; i++) {
      cluster.insert(0, family, "row" + i, "a", "x".repeat(260_000));
    }
    long received = messages(1, TREE).getReceived();
    long before = messages(1, TREE).getCancelled();
    var repair =
        cluster
            .node(0)
            .core()
            .repairs()
            .repair(
                List.of(cluster.node(0).family(ALL, family)),
                Optional.empty(),
                true,
                progress -> {});
    assertTrue(
        cluster.world.runUntil(
            () -> messages(1, TREE).getReceived() > received, FigureScenario.LIMIT));
    repair.cancel(false);
    cluster.world.advance(Duration.ofSeconds(5));
    cluster.world.network().faults(LinkFaults.FAIR);
    assertEquals(before + 1, messages(1, TREE).getCancelled());
  }
}
