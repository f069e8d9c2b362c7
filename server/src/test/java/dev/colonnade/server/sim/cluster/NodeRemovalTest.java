package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.ring.Clockwise;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Dead nodes are removed, and stay away: rows have all their copies again, whatever dies on the
 * way.
 */
class NodeRemovalTest extends MembershipScenario {
  private static final Duration REMEMBERED = Duration.ofMinutes(1);

  /** After this time written data is on disk. */
  private static final Duration SYNCED = Duration.ofSeconds(15);

  NodeRemovalTest() {
    super(
        new MembershipSettings(
            Duration.ofSeconds(3),
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            3,
            REMEMBERED));
  }

  private static String id(Machine<CoreNode> machine) {
    return machine.node().orElseThrow().core().cluster().nodeId();
  }

  private void awaitDeath(String id) {
    assertTrue(
        world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT), "noticed");
  }

  private void awaitThree() {
    assertTrue(
        world.runUntil(
            () ->
                node(0).isStarted()
                    && node(0).core().cluster().topology().places().stream()
                            .filter(Topology.Place::alive)
                            .count()
                        == 3,
            LIMIT),
        "three are back");
  }

  private boolean isOnTheRing(int index, String id) {
    return node(index).core().cluster().topology().place(id).isPresent();
  }

  private Topology.RingState state(int index, String id) {
    return node(index).core().cluster().topology().place(id).orElseThrow().state();
  }

  @Test
  void aDeadNodeIsRemovedAndItsRowsAreCopiedAnew() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    String id = third.node().orElseThrow().core().cluster().nodeId();
    Machine<CoreNode> first = world.machines().get(0);
    String refusal =
        failure(first, node -> node.core().membership().remove(id, false, progress -> {}));
    assertTrue(refusal.contains("is up"), refusal);
    third.powerCut();
    assertTrue(
        world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT),
        "its death is noticed");
    await(first, node -> node.core().membership().remove(id, false, progress -> {}));
    awaitRing(3);
    requireAll("first");
  }

  @Test
  void aDeadNodeStaysWhereWithoutItThereAreFewerNodesThanCopiesUnlessForced() throws Exception {
    begin(2);
    writeAll("first");
    Machine<CoreNode> first = world.machines().get(0);
    String id = id(world.machines().get(1));
    world.advance(SYNCED);
    world.machines().get(1).powerCut();
    awaitDeath(id);
    String refusal = failure(first, node -> node.core().membership().remove(id, false, told -> {}));
    assertTrue(refusal.contains("has 1 copy of each row instead of 2"), refusal);
    assertTrue(refusal.contains("--replace " + id), refusal);
    assertTrue(isOnTheRing(0, id));
    await(first, node -> node.core().membership().remove(id, true, told -> {}));
    awaitRing(1);
    assertFalse(isOnTheRing(0, id));
  }

  @Test
  void aNodeThatDiesWhileItJoinsIsRemovedAndWantedNoMore() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = machine(4);
    fourth.start();
    assertTrue(world.runUntil(() -> joining().isPresent(), LIMIT), "the new node announces itself");
    String id = joining().orElseThrow().node().id();
    fourth.powerCut();
    assertTrue(
        world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT),
        "its death is noticed");
    long unavailable = 0;
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      String outcome =
          failure(world.machines().get(0), node -> atAll.write(node, key(row), version("second")));
      unavailable += outcome.contains("NotEnoughReplicas") ? 1 : 0;
    }
    assertTrue(unavailable > 0, "what it was about to own is written with it, or not at all");
    await(
        world.machines().get(0),
        node -> node.core().membership().remove(id, false, progress -> {}));
    awaitRing(3);
    writeAll("third");
    requireAll("third");
  }

  @Test
  void aRemovalWhoseCoordinatorDiesChangesNothingAndIsBegunByAnother() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> first = world.machines().get(0);
    Machine<CoreNode> second = world.machines().get(1);
    String id = id(world.machines().get(2));
    world.advance(SYNCED);
    world.machines().get(2).powerCut();
    awaitDeath(id);
    first.<Void>call(
        node -> node.core().membership().remove(id, false, told -> {}), (done, failure) -> {});
    assertTrue(
        world.runUntil(() -> state(1, id) == Topology.RingState.LEAVING, LIMIT), "it has begun");
    first.powerCut();
    assertTrue(
        world.runUntil(() -> state(1, id) == Topology.RingState.NORMAL, LIMIT),
        "the dead node keeps its place once its remover is known to be dead");
    first.start();
    assertTrue(
        world.runUntil(
            () ->
                first.node().orElseThrow().isStarted()
                    && node(1).core().cluster().topology().isAlive(id(first))
                    && state(1, id) == Topology.RingState.NORMAL,
            LIMIT),
        "and when that is back");
    await(second, node -> node.core().membership().remove(id, false, told -> {}));
    awaitRing(3);
    requireAll("first");
  }

  /**
   * The rows fetched for it are out of date by then: the dead node came back, and accepted writes.
   */
  @Test
  void aRemovalThatFailedIsBegunAnewAsAWhole() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> first = world.machines().get(0);
    Machine<CoreNode> third = world.machines().get(2);
    String id = id(third);
    third.powerCut();
    awaitDeath(id);
    // The last one of those that are asked is not heard any more; the others are done by then.
    List<String> asked =
        node(0).core().cluster().topology().ring().nodes().stream()
            .map(RingNode::id)
            .filter(one -> !one.equals(id) && !one.equals(id(first)))
            .toList();
    Machine<CoreNode> last = machineOf(asked.get(asked.size() - 1));
    world.network().cut(first, last);
    String failure = failure(first, node -> node.core().membership().remove(id, false, told -> {}));
    assertTrue(failure.contains("did not answer"), failure);
    world.network().heal();
    third.start();
    awaitRing(4);
    writeAll("second");
    third.powerCut();
    awaitDeath(id);
    await(first, node -> node.core().membership().remove(id, false, told -> {}));
    awaitRing(3);
    requireAll("second");
  }

  /** Two are down: the new owner of the first one's rows must be up to fetch them. */
  @Test
  void aNodeIsNotRemovedWhileAnHeirOfItsIsDown() throws Exception {
    begin(4);
    writeAll("first");
    List<String> ring =
        Clockwise.from(node(0).core().cluster().topology().ring(), new byte[] {0}).stream()
            .map(member -> member.id())
            .toList();
    // Of two copies the second of the dead one's goes to the next but one.
    int at = ring.indexOf(id(world.machines().get(0)));
    String deadId = ring.get((at + 1) % 4);
    String heirId = ring.get((at + 3) % 4);
    Machine<CoreNode> dead = machineOf(deadId);
    Machine<CoreNode> heir = machineOf(heirId);
    dead.powerCut();
    heir.powerCut();
    awaitDeath(deadId);
    awaitDeath(heirId);
    Machine<CoreNode> first = world.machines().get(0);
    String refusal =
        failure(first, node -> node.core().membership().remove(deadId, false, told -> {}));
    assertTrue(refusal.contains("node " + heirId) && refusal.contains("Start it"), refusal);
    heir.start();
    assertTrue(
        world.runUntil(() -> node(0).core().cluster().topology().isAlive(heirId), LIMIT), "back");
    await(first, node -> node.core().membership().remove(deadId, false, told -> {}));
    awaitRing(3);
    requireAll("first");
  }

  private Machine<CoreNode> machineOf(String id) {
    return world.machines().stream()
        .filter(one -> one.state() == Machine.State.RUNNING && id(one).equals(id))
        .findFirst()
        .orElseThrow();
  }

  /** After a power failure everywhere, no node reports the one that did not come back. */
  @Test
  void aNodeThatStaysDownWhenAllAreStartedAgainIsRemoved() throws Exception {
    begin(4);
    writeAll("first");
    String id = id(world.machines().get(3));
    world.advance(SYNCED);
    world.machines().forEach(Machine::powerCut);
    for (Machine<CoreNode> machine : world.machines().subList(0, 3)) {
      machine.start();
    }
    awaitThree();
    assertTrue(isOnTheRing(0, id), "it keeps its place");
    Machine<CoreNode> fifth = machine(5);
    fifth.start();
    assertTrue(
        world.runUntil(
            () -> fifth.node().orElseThrow().hasFailed() || fifth.node().orElseThrow().isStarted(),
            LIMIT),
        "a new node hears something");
    String reason = fifth.node().orElseThrow().failedBecause();
    assertTrue(reason.contains("remove '" + id + "'"), reason);
    fifth.kill();
    await(world.machines().get(0), node -> node.core().membership().remove(id, false, told -> {}));
    fifth.wipe();
    fifth.start();
    awaitRing(4);
    assertEquals(4, ring().size());
    requireAll("first");
  }

  /** The nodes of that time remember it only on disk. */
  @Test
  void aNodeThatWasRemovedStaysOutWhenAllAreStartedAgain() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> fourth = world.machines().get(3);
    String id = id(fourth);
    fourth.powerCut();
    awaitDeath(id);
    await(world.machines().get(0), node -> node.core().membership().remove(id, false, told -> {}));
    awaitRing(3);
    world.advance(SYNCED);
    List<Machine<CoreNode>> others = world.machines().subList(0, 3);
    others.forEach(Machine::powerCut);
    for (Machine<CoreNode> machine : others) {
      machine.start();
    }
    awaitThree();
    fourth.start();
    assertTrue(
        world.runUntil(
            () ->
                fourth.node().orElseThrow().hasFailed() || fourth.node().orElseThrow().isStarted(),
            LIMIT),
        "it hears something");
    String reason = fourth.node().orElseThrow().failedBecause();
    assertTrue(reason.contains("no longer part of the cluster"), reason);
    assertFalse(isOnTheRing(0, id));
    fourth.kill();
    requireRead("first");
  }

  /**
   * A node that started while it was there must not remember it when all others have forgotten it.
   */
  @Test
  void aNodeThatLeftDoesNotComeBackToTheRingWhenItIsForgotten() throws Exception {
    begin(4);
    writeAll("first");
    world.advance(SYNCED);
    Machine<CoreNode> second = world.machines().get(1);
    second.powerCut();
    second.start();
    awaitRing(4);
    Machine<CoreNode> fourth = world.machines().get(3);
    String id = id(fourth);
    await(fourth, node -> node.core().membership().decommission(false, told -> {}));
    fourth.kill();
    awaitRing(3);
    assertTrue(
        world.runUntil(
            () ->
                Optional.of(node(1).core().clusterOperations().members())
                    .filter(known -> known.stream().noneMatch(one -> one.nodeId().equals(id)))
                    .isPresent(),
            LIMIT),
        "it is forgotten");
    world.advance(Duration.ofSeconds(5));
    assertFalse(isOnTheRing(1, id), "it is on the ring again");
    requireRead("first");
  }
}
