package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.backup.SnapshotAnswers;
import dev.colonnade.server.sim.Machine;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Snapshots of all nodes of a ring at once. */
final class ClusterSnapshotsTest extends MembershipScenario {

  ClusterSnapshotsTest() {
    super(true);
  }

  private SnapshotAnswers take(String name) {
    return await(
        world.machines().get(0),
        node -> {
          List<FamilyId> families = families(node).stream().map(ColumnFamily::id).toList();
          return node.core().backend().snapshots().take(name, families, true, progress -> {});
        });
  }

  private SnapshotAnswers list() {
    return await(world.machines().get(1), node -> node.core().backend().snapshots().list(true));
  }

  private SnapshotAnswers clear(String name) {
    return await(
        world.machines().get(2), node -> node.core().backend().snapshots().clear(name, true));
  }

  private static Set<Long> moments(SnapshotAnswers answers) {
    return answers.snapshots().stream()
        .map(each -> each.snapshot().createdMicros())
        .collect(Collectors.toSet());
  }

  @Test
  void allNodesTakeItAtOneTimestampAndThoseThatCannotAreNamed() throws Exception {
    begin(3);
    writeAll("one");
    SnapshotAnswers first = take("first");
    assertEquals(List.of(), first.failed());
    assertEquals(3, first.snapshots().size());
    assertEquals(1, moments(first).size(), "one timestamp");
    assertTrue(
        first.snapshots().stream().allMatch(each -> each.snapshot().files() > 0), first::toString);

    Machine<CoreNode> third = world.machines().get(2);
    String id = third.node().orElseThrow().core().cluster().nodeId();
    third.kill();
    assertTrue(
        world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT),
        "the others notice");
    SnapshotAnswers second = take("second");
    assertEquals(2, second.snapshots().size());
    assertEquals(
        List.of(id), second.failed().stream().map(failure -> failure.node().id()).toList());
    assertTrue(second.failed().get(0).reason().contains("down"), second::toString);

    third.start();
    assertTrue(world.runUntil(this::isStarted, LIMIT), "it starts again");
    awaitRing(3);
    assertEquals(5, list().snapshots().size(), "a restart keeps whole snapshots");
    SnapshotAnswers again = take("second");
    assertEquals(1, again.snapshots().size(), "only the third node has no such snapshot yet");
    assertEquals(2, again.failed().size());
    assertTrue(
        again.failed().stream().allMatch(failure -> failure.reason().contains("already")),
        again::toString);
    assertEquals(3, clear("first").snapshots().size());
    assertEquals(3, clear("second").snapshots().size());
    assertEquals(List.of(), list().snapshots());
    assertTrue(
        failure(
                world.machines().get(0),
                node -> node.core().backend().snapshots().clear("second", true))
            .contains("no node has a snapshot"));
  }
}
