package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a node announces of its health, and how the others react. */
final class UnhealthyNodesTest extends MembershipScenario {

  private static final CoreRegisters AT_ONE =
      new CoreRegisters("K", "F", Consistency.ONE, Duration.ofSeconds(10));

  private String id(int index) {
    return node(index).core().cluster().nodeId();
  }

  private Topology topology(int at) {
    return node(at).core().cluster().topology();
  }

  private void awaitImpact(int of, Impact impact) {
    assertTrue(
        world.runUntil(
            () ->
                topology(0).place(id(of)).orElseThrow().impact() == impact
                    && topology(1).place(id(of)).orElseThrow().impact() == impact,
            LIMIT),
        "the others hear of it");
  }

  @Test
  void aNodeWhoseLogFailedGetsHintsInsteadOfWritesAndIsReadLast() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    third
        .disk()
        .plan()
        .add(FileFault.ERROR)
        .on(FileOperation.WRITE, FileOperation.SYNC)
        .where(path -> path.startsWith("segment"));
    int row = firstRowOf(third);
    await(world.machines().get(0), node -> AT_ONE.write(node, key(row), version("second")));
    awaitImpact(2, Impact.NO_WRITES);

    assertTrue(topology(0).isAlive(id(2)), "it is up");
    assertTrue(topology(0).takesReads(id(2)), "and can be read where nothing else is left");
    String refusal =
        failure(
            world.machines().get(0), node -> atAll.write(node, key(row), version("at all levels")));
    assertTrue(refusal.contains("replicas"), refusal);
    for (int i = 0; i < ROWS; i++) {
      int any = i;
      // It still coordinates, and keeps hints for itself.
      Machine<CoreNode> at = i % 2 == 0 ? world.machines().get(0) : third;
      await(at, node -> AT_ONE.write(node, key(any), version("third")));
    }
    for (int i = 0; i < ROWS; i++) {
      int any = i;
      var read = await(third, node -> AT_ONE.read(node, key(any)));
      assertEquals("third", read.orElseThrow().value(), "a replica that takes writes answers");
    }

    assertEquals(id(2), hintsAt(2).get(0).targetId(), "it keeps hints for itself");

    third.disk().plan().clear();
    third.kill();
    third.start();
    awaitImpact(2, Impact.NONE);
    assertTrue(
        world.runUntil(() -> hintsAt(0).isEmpty() && hintsAt(2).isEmpty(), LIMIT),
        () -> "its hints are delivered: " + hintsAt(0) + " " + hintsAt(2));
    requireAll("third");
  }

  @Test
  void aNodeWhoseDiskHangsSaysSoAndIsReadLastUntilTheDiskAnswers() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    third
        .disk()
        .plan()
        .add(FileFault.STALL)
        .on(FileOperation.SYNC)
        .where(path -> path.startsWith("segment"))
        .lasting(Duration.ofMinutes(2))
        .once();
    int row = firstRowOf(third);
    List<String> told = new ArrayList<>();
    world.after(
        Duration.ofSeconds(30),
        () -> {
          String health =
              node(2).core().health().report().whyNotReady().orElse("all is well, it says");
          told.add(health);
          for (int other = 0; other < 2; other++) {
            told.add(topology(other).place(id(2)).orElseThrow().impact().text());
          }
          third.call(
              node -> CompletableFuture.completedFuture(node.core().operations().stages()),
              (stages, failure) ->
                  told.add(
                      String.valueOf(
                          Objects.requireNonNull(stages).stream()
                              .filter(stage -> stage.stage() == Stage.LOG)
                              .anyMatch(stage -> stage.still().toSeconds() > 10))));
        });
    third.call(node -> AT_ONE.write(node, key(row), version("second")), (done, failure) -> {});
    world.advance(Duration.ofSeconds(40));
    assertTrue(
        told.get(0).contains("stage log: has made no progress for more than 10 s"), told::toString);
    assertEquals(List.of("unfavourable", "unfavourable", "true"), told.subList(1, 4));
    awaitImpact(2, Impact.NONE);
    assertTrue(node(2).core().health().report().whyNotReady().isEmpty());
    writeAll("third");
    requireAll("third");
  }

  @Test
  void aNodeThatDoesNotServeIsForItsPeersAsOneThatIsDownAndSaysWhy() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    node(2).core().health().raise(Condition.DISK, Impact.NOT_SERVING, "sector 7 is gone");
    int row = firstRowOf(third);
    String refused = failure(third, node -> AT_ONE.read(node, key(row)));
    assertTrue(refused.contains("NodeNotReady") && refused.contains("sector 7"), refused);
    awaitImpact(2, Impact.NOT_SERVING);
    assertTrue(
        node(0).core().clusterOperations().members().stream()
            .anyMatch(
                member ->
                    member.nodeId().equals(id(2))
                        && member.states().getOrDefault("health", "").contains("sector 7")));
    assertEquals(
        "first",
        await(world.machines().get(0), node -> AT_ONE.read(node, key(row))).orElseThrow().value());
    assertTrue(
        failure(world.machines().get(0), node -> atAll.read(node, key(row))).contains("replicas"));

    node(2).core().health().clear(Condition.DISK);
    awaitImpact(2, Impact.NONE);
    requireAll("first");
  }

  private List<HintFigures> hintsAt(int index) {
    return node(index).core().clusterOperations().hints();
  }

  private int firstRowOf(Machine<CoreNode> machine) {
    for (int i = 0; i < ROWS; i++) {
      if (owns(machine, i)) {
        return i;
      }
    }
    throw new AssertionError(machine + " owns nothing");
  }
}
