package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.HealthSettings.DiskFailurePolicy;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a node does, and its peers see, once its disk returns errors. */
final class DiskFailurePolicyTest extends MembershipScenario {

  private static final CoreRegisters AT_ONE =
      new CoreRegisters("K", "F", Consistency.ONE, Duration.ofSeconds(10));

  /** Three nodes; the third has its rows in files, nothing in memory, and a disk without reads. */
  private Machine<CoreNode> thirdWithABadDisk(DiskFailurePolicy policy) throws Exception {
    disks = policy;
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    await(third, node -> node.core().engine().flush(families(node).get(0).id()));
    third.kill();
    third.start();
    assertTrue(
        world.runUntil(
            () ->
                isStarted()
                    && topology(2).places().stream()
                        .allMatch(place -> topology(2).isAlive(place.node().id())),
            LIMIT),
        "it starts again and sees the others");
    third
        .disk()
        .plan()
        .add(FileFault.ERROR)
        .on(FileOperation.READ)
        .where(path -> path.contains("keyspaces/K"));
    return third;
  }

  private String id() {
    return node(2).core().cluster().nodeId();
  }

  private Topology topology(int at) {
    return node(at).core().cluster().topology();
  }

  private void awaitImpact(Impact impact) {
    assertTrue(
        world.runUntil(
            () ->
                topology(0).place(id()).orElseThrow().impact() == impact
                    && topology(1).place(id()).orElseThrow().impact() == impact,
            LIMIT),
        () -> "the others hear of " + impact + ": " + node(2).core().health().report());
  }

  private int rowOf(Machine<CoreNode> machine) {
    for (int i = 0; i < ROWS; i++) {
      if (owns(machine, i)) {
        return i;
      }
    }
    throw new AssertionError(machine + " owns nothing");
  }

  private String readAt(Machine<CoreNode> at, int row) throws Exception {
    return String.valueOf(await(at, node -> AT_ONE.read(node, key(row))).orElseThrow().value());
  }

  @Test
  void withBestEffortOthersArePreferredUntilTheDiskHasBeenWellForAMinute() throws Exception {
    Machine<CoreNode> third = thirdWithABadDisk(DiskFailurePolicy.BEST_EFFORT);
    int row = rowOf(third);
    assertEquals("first", readAt(third, row), "another replica answers");
    awaitImpact(Impact.UNFAVOURABLE);
    assertTrue(topology(0).takesReads(id()) && topology(0).isAlive(id()));
    String reasons = node(2).core().health().report().whyNotReady().orElseThrow();
    assertTrue(reasons.startsWith("data: "), reasons);
    assertFalse(reasons.contains("keyspaces"), "no path of the host: " + reasons);
    await(third, node -> AT_ONE.write(node, key(row), version("second")));

    third.disk().plan().clear();
    awaitImpact(Impact.NONE);
    assertEquals("second", readAt(third, row));
  }

  @Test
  void withRefuseTheNodeIsForItsPeersAsOneThatIsDownUntilItIsRestarted() throws Exception {
    Machine<CoreNode> third = thirdWithABadDisk(DiskFailurePolicy.REFUSE);
    int row = rowOf(third);
    var unused = node(2).core().engine().compact(families(node(2)).get(0).id(), progress -> {});
    awaitImpact(Impact.NOT_SERVING);
    assertTrue(topology(0).isAlive(id()));
    assertFalse(topology(0).takesReads(id()));
    assertEquals("first", readAt(world.machines().get(0), row));
    String refused = failure(third, node -> AT_ONE.read(node, key(row)));
    assertTrue(refused.contains("NodeNotReady"), refused);

    third.disk().plan().clear();
    assertFalse(world.runUntil(() -> false, Duration.ofMinutes(5)));
    awaitImpact(Impact.NOT_SERVING);
    third.kill();
    third.start();
    assertTrue(world.runUntil(this::isStarted, LIMIT), "it starts again");
    awaitImpact(Impact.NONE);
    requireAll("first");
  }

  @Test
  void withStopTheNodeEndsAndItsPeersTakeOver() throws Exception {
    Machine<CoreNode> third = thirdWithABadDisk(DiskFailurePolicy.STOP);
    int row = rowOf(third);
    String id = id();
    var unused = node(2).core().engine().compact(families(node(2)).get(0).id(), progress -> {});
    assertTrue(world.runUntil(() -> node(2).hasFailed(), LIMIT), "it ends");
    assertTrue(node(2).failedBecause().contains("disk"), node(2).failedBecause());
    assertTrue(
        world.runUntil(() -> !topology(0).isAlive(id) && !topology(1).isAlive(id), LIMIT),
        "the others see it");
    assertEquals("first", readAt(world.machines().get(0), row));
  }

  @Test
  void aDiskThatIsFullOrAProcessWithoutDescriptorsIsNoDiskThatFails() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    for (FileFault fault : new FileFault[] {FileFault.NO_SPACE, FileFault.NO_DESCRIPTORS}) {
      third.disk().plan().add(fault);
      var unused = node(2).core().engine().flush(families(node(2)).get(0).id());
      assertFalse(world.runUntil(() -> false, Duration.ofSeconds(20)));
      assertTrue(
          node(2).core().health().report().problems().stream()
              .noneMatch(problem -> problem.condition() == Condition.DISK),
          () -> fault + ": " + node(2).core().health().report());
      third.disk().plan().clear();
      // A flush that fails again and again is told until the next one ends well.
      assertTrue(
          world.runUntil(() -> node(2).core().health().report().impact().isFavourable(), LIMIT),
          () -> fault + ": " + node(2).core().health().report());
    }
  }
}
