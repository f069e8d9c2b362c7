package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.sim.FakeSignatures;
import dev.colonnade.server.sim.Machine;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Nodes that have certificates remove a dead one if a majority agrees, and replace it. */
class RemovalVotesTest extends MembershipScenario {

  RemovalVotesTest() {
    super(MembershipSettings.DEFAULT, machine -> Optional.of(FakeSignatures.ofMachine(machine)));
  }

  private void awaitDeath(String id) {
    assertTrue(
        world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT), "noticed");
  }

  private static String id(Machine<CoreNode> machine) {
    return machine.node().orElseThrow().core().cluster().nodeId();
  }

  @Test
  void aDeadNodeIsRemovedForAllOnceTheOthersAgree() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    String id = id(third);
    third.powerCut();
    awaitDeath(id);
    await(world.machines().get(1), node -> node.core().membership().remove(id, false, told -> {}));
    awaitRing(3);
    requireAll("first");
  }

  @Test
  void withoutAMajorityNothingIsRemovedAndTheRefusalSaysWhoDidNotAgree() throws Exception {
    begin(3);
    Machine<CoreNode> fourth = machine(4);
    fourth.start();
    assertTrue(world.runUntil(() -> joining().isPresent(), LIMIT), "the new node announces itself");
    String id = joining().orElseThrow().node().id();
    String second = id(world.machines().get(1));
    String third = id(world.machines().get(2));
    fourth.powerCut();
    world.machines().get(1).powerCut();
    world.machines().get(2).powerCut();
    awaitDeath(id);
    awaitDeath(second);
    awaitDeath(third);
    String refusal =
        failure(
            world.machines().get(0),
            node -> node.core().membership().remove(id, false, progress -> {}));
    assertTrue(refusal.contains("1 of the 3 other nodes of the ring agree"), refusal);
    assertTrue(refusal.contains("node " + second + " (it is down)"), refusal);
    assertTrue(refusal.contains("node " + third + " (it is down)"), refusal);
    assertTrue(joining().isPresent(), "it stays");
    world.machines().get(1).start();
    assertTrue(
        world.runUntil(() -> node(0).core().cluster().topology().isAlive(second), LIMIT),
        "is back");
    await(world.machines().get(0), node -> node.core().membership().remove(id, false, told -> {}));
    assertTrue(
        world.runUntil(() -> node(1).core().cluster().topology().place(id).isEmpty(), LIMIT),
        "the other one believes it");
  }

  @Test
  void aReplacedNodeIsGoneForAll() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    String id = id(third);
    third.powerCut();
    awaitDeath(id);
    replaced.put("n4", id);
    Machine<CoreNode> fourth = add();
    awaitRing(3);
    requireAll("first");
    assertTrue(
        world.runUntil(() -> node(0).core().cluster().topology().place(id).isEmpty(), LIMIT));
    assertEquals(3, fourth.node().orElseThrow().core().cluster().topology().ring().nodes().size());
  }
}
