package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.sim.Machine;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A node has the identity of its data directory; no other process has it, or replaces it unnoticed.
 */
class IdentityTest extends MembershipScenario {

  @Test
  void aSeedThatLostItsDataIsRefusedAndToldHowToReplaceItself() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> second = world.machines().get(1);
    String id = id(second);
    second.kill();
    second.wipe();
    second.start();
    String reason = awaitEnd(second);
    assertTrue(reason.contains("--replace " + id), reason);
    second.kill();
    replaced.put(second.name(), id);
    second.start();
    awaitStart(second);
    awaitRing(3);
    assertFalse(id(second).equals(id));
    requireAll("first");
  }

  @Test
  void aWipedNodeThatHearsNoPeerAtItsStartStopsWhenItDoes() throws Exception {
    begin(3);
    Machine<CoreNode> second = world.machines().get(1);
    second.kill();
    second.wipe();
    world.network().partition(List.of(List.of(second), others(second)));
    second.start();
    awaitStart(second);
    world.network().heal();
    String reason = awaitEnd(second);
    assertTrue(reason.contains("--replace "), reason);
    second.kill();
    second.start();
    assertTrue(awaitEnd(second).contains("empty data directory"), "its data is given up");
  }

  @Test
  void aCopyOfARunningNodesDataIsRefused() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    Machine<CoreNode> copy = copyOf(third);
    copy.start();
    String reason = awaitEnd(copy);
    assertTrue(reason.contains("uses this node's host id"), reason);
    world.advance(Duration.ofSeconds(30));
    assertTrue(third.node().orElseThrow().endedBy().isEmpty(), "the one that was there goes on");
    awaitRing(3);
    requireAll("first");
  }

  @Test
  void aCopyThatStartedUnseenYieldsAndTheFirstOneIsHeardAgain() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    Machine<CoreNode> copy = copyOf(third);
    world.network().partition(List.of(List.of(third), others(third)));
    copy.start();
    awaitStart(copy);
    assertTrue(
        world.runUntil(() -> ring().contains(copy.address().host()), LIMIT), "others believe it");
    world.network().heal();
    String reason = awaitEnd(copy);
    assertTrue(reason.contains("uses this node's host id"), reason);
    assertTrue(
        world.runUntil(() -> ring().contains(third.address().host()), LIMIT),
        "the first one is heard again");
    copy.kill();
    awaitRing(3);
    requireAll("first");
    third.kill();
    third.start();
    awaitRing(3);
  }

  @Test
  void aNodeMayComeBackAtAnotherAddress() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    String id = id(third);
    Machine<CoreNode> moved = copyOf(third);
    third.kill();
    moved.start();
    awaitStart(moved);
    awaitRing(3);
    assertEquals(id, id(moved));
    requireRead("first");
  }

  @Test
  void aNodeThatWasReplacedStaysOut() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    String id = id(third);
    third.kill();
    assertTrue(
        world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT), "noticed");
    Machine<CoreNode> fourth = machine(4);
    replaced.put(fourth.name(), id);
    fourth.start();
    awaitStart(fourth);
    awaitRing(3);
    requireRead("first");
    fourth.powerCut();
    fourth.start();
    awaitStart(fourth);
    awaitRing(3);
    third.start();
    String reason = awaitEnd(third);
    assertTrue(reason.contains("empty data directory"), reason);
    awaitRing(3);
    requireRead("first");
  }

  @Test
  void aNodeThatDiedWhileItMovedIsReplacedWhereItWas() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    String id = id(third);
    byte[] token = Partitioners.RANDOM.randomToken(world.random("where to"));
    third.<Void>call(
        node -> node.core().membership().move(token, progress -> {}), (done, failure) -> {});
    assertTrue(
        world.runUntil(
            () ->
                node(0).core().cluster().topology().place(id).orElseThrow().state()
                    == Topology.RingState.MOVING,
            LIMIT),
        "it tells that it moves");
    third.kill();
    third.wipe();
    replaced.put(third.name(), id);
    third.start();
    awaitStart(third);
    awaitRing(4);
    requireAll("first");
  }

  private Machine<CoreNode> copyOf(Machine<CoreNode> original) {
    Machine<CoreNode> copy =
        world.add("copy of " + original.name(), new PeerAddress("10.0.9.9", 7000));
    copy.copyDiskOf(original);
    return copy;
  }

  private List<Machine<CoreNode>> others(Machine<CoreNode> one) {
    return world.machines().stream().filter(machine -> machine != one).toList();
  }

  private static String id(Machine<CoreNode> machine) {
    return machine.node().orElseThrow().core().cluster().nodeId();
  }

  private void awaitStart(Machine<CoreNode> machine) {
    CoreNode node = machine.node().orElseThrow();
    assertTrue(world.runUntil(node::isStarted, LIMIT), "it starts");
  }

  private String awaitEnd(Machine<CoreNode> machine) throws IOException {
    CoreNode node = machine.node().orElseThrow();
    assertTrue(world.runUntil(() -> node.endedBy().isPresent(), LIMIT), "it goes on");
    return node.endedBy().orElseThrow();
  }
}
