package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.history.Version;
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

  private static final CoreRegisters THREE_AT_ONE =
      new CoreRegisters("K3", "F", Consistency.ONE, Duration.ofSeconds(10));

  private static final CoreRegisters THREE_AT_ALL =
      new CoreRegisters("K3", "F", Consistency.ALL, Duration.ofSeconds(10));

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

  /**
   * What one of the others has alone must come to the third as well, through the one in between.
   */
  @Test
  void oneNodesRepairMakesTheOthersEqualToEachOtherAndKeepsDeletions() throws Exception {
    begin(3);
    await(
        world.machines().get(0),
        node ->
            node.core()
                .schema()
                .createKeyspace(
                    KeyspaceDefinition.of("K3")
                        .withReplicationFactor(3)
                        .withFamily(FamilyDefinition.of("K3", "F"))));
    assertTrue(
        world.runUntil(
            () -> world.machines().stream().allMatch(m -> m.node().orElseThrow().knows("K3", "F")),
            LIMIT),
        "the schema spreads");
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      await(world.machines().get(0), node -> THREE_AT_ALL.write(node, key(row), version("first")));
    }
    world.network().partition(world.machines().stream().map(List::of).toList());
    world.advance(Duration.ofSeconds(30));
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      // Each third row is changed at one node alone, and each fourth of these deleted there.
      Version changed = new Version(version("").timestamp(), row % 4 == 0 ? null : "second");
      await(world.machines().get(row % 3), node -> THREE_AT_ONE.write(node, key(row), changed));
    }
    world.network().heal();
    awaitRing(3);
    Machine<CoreNode> repairing = world.machines().get(1);

    RepairProgress repaired = repair(repairing, "K3", false);

    assertEquals(repaired.total(), repaired.done());
    for (Machine<CoreNode> machine : world.machines()) {
      assertEquals(0, repair(machine, "K3", true).mismatchedRanges(), machine.name());
      for (int i = 0; i < ROWS; i++) {
        int row = i;
        assertEquals(
            row % 4 == 0 ? Optional.empty() : Optional.of("second"),
            await(machine, node -> THREE_AT_ONE.read(node, key(row))).map(Version::value),
            machine.name() + " " + key(row));
      }
    }
  }

  private RepairProgress repair(Machine<CoreNode> machine, boolean isDry) {
    return repair(machine, "K", isDry);
  }

  private RepairProgress repair(Machine<CoreNode> machine, String keyspace, boolean isDry) {
    return await(
        machine,
        node ->
            node.core()
                .repairs()
                .repair(families(node, keyspace), Optional.empty(), isDry, progress -> {}));
  }

  private static List<ColumnFamily> families(CoreNode node, String keyspace) {
    try {
      return List.of(node.family(keyspace, "F"));
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }
}
