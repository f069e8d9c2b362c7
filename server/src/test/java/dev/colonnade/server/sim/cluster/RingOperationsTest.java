package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.admin.NodeOperations.WorkProgress;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.store.ListedPages;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Nodes delete rows that they no longer own, and move to balance load. */
class RingOperationsTest extends MembershipScenario {

  @Test
  void aCleanupLeavesOutWhatOthersOwnAndNothingElse() throws Exception {
    begin(3);
    writeAll("first");
    add();
    awaitRing(4);
    int before = world.machines().stream().mapToInt(this::stored).sum();
    assertTrue(before > 2 * ROWS, "some keep rows that they gave away: " + before);
    List<WorkProgress> told = new ArrayList<>();
    for (Machine<CoreNode> machine : world.machines()) {
      await(machine, node -> node.core().cleanUp(families(node), told::add));
      assertEquals(held(machine), stored(machine), machine.name());
    }
    assertEquals("done", told.get(told.size() - 1).phase());
    requireAll("first");
    writeAll("second");
    requireAll("second");
  }

  @Test
  void aCleanupIsRefusedWhileTheRingChanges() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = machine(4);
    fourth.start();
    assertTrue(world.runUntil(() -> joining().isPresent(), LIMIT), "the new node announces itself");
    String refusal =
        failure(
            world.machines().get(0), node -> node.core().cleanUp(families(node), progress -> {}));
    assertTrue(refusal.contains("one change at a time"), refusal);
    awaitRing(4);
    requireAll("first");
  }

  @Test
  void aNodeThatBalancesTheLoadTakesHalfOfTheFullestNodesRange() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> moved = world.machines().get(1);
    byte[] before = token(moved);
    await(moved, node -> node.core().membership().loadBalance(progress -> {}));
    awaitRing(4);
    assertFalse(Arrays.equals(before, token(moved)), "it has another token");
    requireAll("first");
    writeAll("second");
    requireAll("second");
    moved.powerCut();
    moved.start();
    awaitRing(4);
    requireAll("second");
  }

  private static byte[] token(Machine<CoreNode> machine) {
    Topology topology = machine.node().orElseThrow().core().cluster().topology();
    RingNode self = topology.place(topology.self().id()).orElseThrow().node();
    return self.tokens().get(0);
  }

  /** The number of rows in a machine's own store. */
  private int stored(Machine<CoreNode> machine) {
    int stored = 0;
    for (int i = 0; i < ROWS; i++) {
      String key = key(i);
      stored +=
          await(
                      machine,
                      node ->
                          node.core()
                              .engine()
                              .read(
                                  families(node).get(0).id(),
                                  new SliceCommand(
                                      CoreNode.key(key),
                                      new Slice(
                                          List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                                      Optional.empty(),
                                      1 << 20,
                                      world.clock().wallSeconds()),
                                  ListedPages.ROW))
                  .result()
                  .cells()
                  .isEmpty()
              ? 0
              : 1;
    }
    return stored;
  }
}
