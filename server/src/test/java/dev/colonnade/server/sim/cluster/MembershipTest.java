package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.sim.LogLines;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Nodes leave, are paused and start again while the rows stay. Two copies of each, so that every
 * owner matters.
 */
class MembershipTest extends MembershipScenario {

  @Test
  void nodesOfARingGiveNoTimestampTwice() throws Exception {
    begin(3);
    Set<Long> given = new LinkedHashSet<>();
    for (int i = 0; i < 1_000; i++) {
      for (int index = 0; index < 3; index++) {
        long micros = node(index).core().timestamps().nextMicros();
        assertTrue(given.add(micros), micros + " twice");
      }
    }
  }

  @Test
  void sinceWhenANodeHasItsTokensOutlastsItsRestart() throws Exception {
    begin(3);
    String id = node(2).core().cluster().nodeId();
    String since = tokensSince(id);
    assertTrue(Long.parseLong(since) > 0, since);
    Machine<CoreNode> third = world.machines().get(2);
    third.powerCut();
    third.start();
    awaitRing(3);
    world.advance(Duration.ofMinutes(1));
    assertEquals(since, tokensSince(id));
  }

  /** What the first node has heard. */
  private String tokensSince(String id) {
    return node(0).core().clusterOperations().members().stream()
        .filter(member -> member.nodeId().equals(id))
        .map(member -> member.states().getOrDefault("tokens_since", ""))
        .findFirst()
        .orElse("");
  }

  @Test
  void aNodeThatLeavesHandsItsRowsOver() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> second = world.machines().get(1);
    await(second, node -> node.core().membership().decommission(false, progress -> {}));
    awaitRing(3);
    second.kill();
    requireAll("first");
  }

  @Test
  void aNodeStaysWhereWithoutItThereAreFewerNodesThanCopiesUnlessForced() throws Exception {
    begin(3);
    Machine<CoreNode> first = world.machines().get(0);
    await(
        first,
        node ->
            node.core()
                .schema()
                .createKeyspace(KeyspaceDefinition.of("Threefold").withReplicationFactor(3)));
    Machine<CoreNode> third = world.machines().get(2);
    String refusal =
        failure(third, node -> node.core().membership().decommission(false, progress -> {}));
    assertTrue(
        refusal.contains(
            "Threefold has 2 copies of each row instead of 3, so that THREE, ALL cannot be met, and"
                + " TWO, QUORUM only while no node that has a copy is down"),
        refusal);
    assertEquals(3, ring().size());
    await(third, node -> node.core().membership().decommission(true, progress -> {}));
    awaitRing(2);
  }

  @Test
  void aNodeThatHasLeftTakesNoWritesAndAnswersNoReads() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    await(third, node -> node.core().membership().decommission(false, progress -> {}));
    String refusal =
        failure(third, node -> atAll.write(node, "row", new Version(Long.MAX_VALUE, "late")));
    assertTrue(refusal.contains("has left the ring"), refusal);
    refusal = failure(third, node -> atAll.read(node, "row"));
    assertTrue(refusal.contains("has left the ring"), refusal);
    assertFalse(third.node().orElseThrow().core().health().report().impact().isReady());
    requireAll("first");
  }

  @Test
  void aNodeThatLeftDoesNotComeBack() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    await(third, node -> node.core().membership().decommission(false, progress -> {}));
    third.kill();
    third.start();
    assertTrue(
        world.runUntil(() -> third.node().orElseThrow().hasFailed(), LIMIT), "its start fails");
    assertFalse(ring().contains(third.name()));
  }

  /** No node can tell it: it must notice by itself. */
  @Test
  void aNodeThatLeftDoesNotStartEvenIfItHearsNoPeer() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    await(third, node -> node.core().membership().decommission(false, progress -> {}));
    third.kill();
    world.network().partition(List.of(world.machines().subList(0, 2), List.of(third)));
    third.start();
    assertTrue(
        world.runUntil(() -> third.node().orElseThrow().hasFailed(), LIMIT), "its start fails");
  }

  /** Found by seed 1143 of the simulator: two nodes that had forgotten the ring made a quorum. */
  @Test
  void aNodeThatStartsAgainKnowsTheRingBeforeItHearsOfIt() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    third.kill();
    world.network().partition(List.of(world.machines().subList(0, 2), List.of(third)));
    third.start();
    assertTrue(world.runUntil(() -> third.node().orElseThrow().isStarted(), LIMIT), "it starts");
    Topology topology = third.node().orElseThrow().core().cluster().topology();
    assertEquals(3, topology.ring().nodes().size());
    assertEquals(1, topology.places().stream().filter(Topology.Place::alive).count());
  }

  @Test
  void whoWaitsForANodeThatDiesHearsOfItWhenItsDeathIsKnown() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    CoreRegisters patient = new CoreRegisters("K", "F", Consistency.ALL, LIMIT);
    world.network().partition(List.of(world.machines().subList(0, 2), List.of(third)));
    Duration before = Duration.ofNanos(world.clock().monotonicNanos());
    List<String> outcomes = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      world
          .machines()
          .get(0)
          .<Void>call(
              node -> patient.write(node, key(row), version("late")),
              (done, failure) -> outcomes.add(String.valueOf(failure)));
    }
    assertTrue(world.runUntil(() -> outcomes.size() == ROWS, LIMIT), "not all have an answer");
    Duration waited = Duration.ofNanos(world.clock().monotonicNanos()).minus(before);
    assertTrue(waited.toSeconds() < 40, () -> "waited " + waited);
    assertTrue(outcomes.stream().anyMatch(outcome -> outcome.contains("is down")), "some failed");
    assertTrue(outcomes.contains("null"), "some had no need of it");
  }

  @Test
  void aNodeThatStoodStillAsksHowTheRingHasChangedBeforeItCoordinates() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    third.pause();
    world.advance(Duration.ofSeconds(5));
    third.resume();
    assertEquals("null", failure(third, node -> atAll.write(node, key(1), version("second"))));
    world.advance(Duration.ofSeconds(20));
    third.pause();
    world.advance(Duration.ofSeconds(25));
    third.resume();
    String refusal = failure(third, node -> atAll.write(node, key(1), version("third")));
    assertTrue(refusal.contains("was paused"), refusal);
    assertThrows(AssertionError.class, () -> await(third, node -> atAll.read(node, key(1))));
    world.advance(Duration.ofSeconds(4));
    assertEquals("null", failure(third, node -> atAll.write(node, key(1), version("fourth"))));
    await(third, node -> atAll.read(node, key(1)));
  }

  /** An operator who reads the log of one node sees what the others did. */
  @Test
  void whatBecomesOfNodesIsLoggedWithTheirAddresses() throws Exception {
    try (LogLines lines = LogLines.of("dev.colonnade.server.node.MemberLog")) {
      begin(4);
      String third = node(2).core().self().toString();
      String fourth = node(3).core().self().toString();
      assertTrue(lines.all().contains("node " + fourth + " is up"), lines.all()::toString);
      assertTrue(
          lines.all().contains("node " + fourth + " owns its tokens"), lines.all()::toString);
      Machine<CoreNode> machine = world.machines().get(2);
      int before = lines.all().size();
      machine.powerCut();
      world.advance(Duration.ofMinutes(1));
      machine.start();
      awaitRing(4);
      world.advance(Duration.ofMinutes(1));
      await(
          world.machines().get(3),
          node -> node.core().membership().decommission(false, progress -> {}));
      awaitRing(3);
      List<String> ofThird = about(third, lines.all().subList(before, lines.all().size()));
      List<String> ofFourth = about(fourth, lines.all().subList(before, lines.all().size()));
      assertEquals(List.of("is down: its heartbeats stay away", "has restarted", "is up"), ofThird);
      assertEquals(
          List.of("is leaving", "has left"),
          ofFourth.stream()
              .filter(each -> each.startsWith("is leaving") || each.startsWith("has l"))
              .toList());
    }
  }

  /** Three nodes say the same; each thing once, in order. */
  private static List<String> about(String node, List<String> lines) {
    String start = "node " + node + " ";
    return lines.stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .distinct()
        .toList();
  }
}
