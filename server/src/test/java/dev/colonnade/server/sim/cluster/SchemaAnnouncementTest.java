package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Changes of the schema that a node did not announce when it made them. */
final class SchemaAnnouncementTest extends MembershipScenario {

  @Test
  void aChangeOfANodeThatRestartsBeforeItsDeathIsNoticedReachesTheOthers() throws Exception {
    begin(3);
    world.advance(Duration.ofSeconds(10)); // all have heard of each other's version
    Machine<CoreNode> third = world.machines().get(2);
    world
        .network()
        .partition(
            List.of(List.of(world.machines().get(0), world.machines().get(1)), List.of(third)));
    createFamily(third, "G");
    assertTrue(world.runUntil(() -> knows(2, "G"), LIMIT), "the node has the change");
    world.advance(Duration.ofMillis(50)); // what it sends is lost
    third.kill();
    world.network().heal();
    third.start();
    assertTrue(
        world.runUntil(() -> knows(0, "G") && knows(1, "G"), Duration.ofMinutes(1)),
        "the others fetch it");
  }

  @Test
  void aChangeOnASlowDiskReachesTheOthersAfterItsCallerHasGivenUp() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    third
        .disk()
        .plan()
        .add(FileFault.STALL)
        .on(FileOperation.SYNC)
        .where(path -> path.startsWith("segment"))
        .lasting(Duration.ofSeconds(45))
        .once();
    createFamily(third, "G");
    world.advance(Duration.ofSeconds(40));
    assertFalse(knows(2, "G"), "its caller got a timeout");
    assertTrue(
        world.runUntil(
            () -> knows(0, "G") && knows(1, "G") && knows(2, "G"), Duration.ofMinutes(1)),
        "all nodes have it");
  }

  private static void createFamily(Machine<CoreNode> at, String name) {
    at.<String>call(
        node -> node.core().schema().createFamily(FamilyDefinition.of("K", name)),
        (version, failure) -> {});
  }

  private boolean knows(int index, String family) {
    return world.machines().get(index).node().filter(node -> node.knows("K", family)).isPresent();
  }
}
