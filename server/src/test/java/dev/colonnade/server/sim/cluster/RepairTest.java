package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Repair alone, with nothing else that could make replicas equal: no hints and no reads. */
final class RepairTest extends MembershipScenario {

  private static final CoreRegisters AT_ONE =
      new CoreRegisters("K", "F", Consistency.ONE, Duration.ofSeconds(10));

  RepairTest() {
    super(false);
  }

  /** If it only fetched, the others would still lack rows; if it only sent, it would itself. */
  @Test
  void oneNodesRepairBringsEachSideWhatItLacks() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> first = world.machines().get(0);
    Machine<CoreNode> third = world.machines().get(2);
    world.network().partition(List.of(world.machines().subList(0, 2), List.of(third)));
    world.advance(Duration.ofSeconds(30));
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      Machine<CoreNode> at = row % 2 == 0 && owns(third, row) ? third : first;
      await(at, node -> AT_ONE.write(node, key(row), version("second")));
    }
    world.network().heal();
    awaitRing(3);
    assertTrue(repair(third, true).mismatchedRanges() > 0, "there is something to mend");

    RepairProgress repaired = repair(third, false);
    assertEquals(repaired.total(), repaired.done());
    for (Machine<CoreNode> machine : world.machines()) {
      assertEquals(0, repair(machine, true).mismatchedRanges(), machine.name());
    }
    requireAll("second");
  }

  private RepairProgress repair(Machine<CoreNode> machine, boolean isDry) {
    return await(
        machine,
        node ->
            node.core().repairs().repair(families(node), Optional.empty(), isDry, progress -> {}));
  }
}
