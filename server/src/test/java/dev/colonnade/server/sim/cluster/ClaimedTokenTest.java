package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.node.NodeRuntime;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.World;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two nodes that were given one token while they could not see each other. */
final class ClaimedTokenTest {

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final World<CoreNode> world =
      new World<>(
          20261122,
          World.Settings.DEFAULT,
          CoreNode.factory(
              new CoreNode.Plan(
                  SimulatedStore.TINY,
                  NodeSettings.DEFAULT
                      .with(ClusterSettings.NAME, "simulated")
                      .with(ClusterSettings.SEEDS, List.of("10.0.0.1", "10.0.0.2")),
                  Map.of("n1", "1000", "n2", "1000", "n3", "1" + "0".repeat(37)))));

  private final Machine<CoreNode> first = world.add("n1", new PeerAddress("10.0.0.1", 7000));
  private final Machine<CoreNode> second = world.add("n2", new PeerAddress("10.0.0.2", 7000));
  private final Machine<CoreNode> third = world.add("n3", new PeerAddress("10.0.0.3", 7000));

  @AfterEach
  void letGo() {
    world.close();
  }

  @Test
  void isTheConditionRingOnEveryNodeUntilOneOfThemMoves() throws Exception {
    world.network().partition(List.of(List.of(first, third), List.of(second)));
    first.start();
    third.start();
    await(() -> isStarted(first) && isStarted(third), "they start");
    second.start();
    await(() -> isStarted(second), "it starts alone");
    assertTrue(world.machines().stream().noneMatch(ClaimedTokenTest::doubts), "none knows yet");
    world.network().heal();
    await(() -> world.machines().stream().allMatch(ClaimedTokenTest::doubts), "all say so");
    for (Machine<CoreNode> machine : world.machines()) {
      Health.Report report = core(machine).health().report();
      Health.Problem problem = report.problems().get(0);
      assertEquals(Impact.NOTICE, problem.impact());
      assertTrue(
          problem.reason().contains(id(first))
              && problem.reason().contains(id(second))
              && problem.reason().contains("both claim the token"),
          problem.reason());
      assertTrue(report.whyNotReady().isEmpty(), "it serves all the same");
      assertEquals(id(first), owner(machine), "the token stays with the node that took it first");
    }

    second.kill();
    first.kill();
    second.start();
    await(() -> isStarted(second) && doubts(second), "a start does not hide it");
    first.start();
    await(
        () -> isStarted(first) && world.machines().stream().allMatch(ClaimedTokenTest::doubts),
        "all say so again");
    assertEquals(id(first), owner(second), "who started first since does not matter");

    byte[] elsewhere = Partitioners.RANDOM.randomToken(world.random("where to"));
    second.<Void>call(
        node -> node.core().membership().move(elsewhere, progress -> {}), (done, failure) -> {});
    await(() -> world.machines().stream().noneMatch(ClaimedTokenTest::doubts), "no doubt is left");
    assertEquals(3, core(third).cluster().topology().ring().nodes().size());
  }

  private void await(BooleanSupplier condition, String what) {
    assertTrue(world.runUntil(condition, LIMIT), what);
  }

  private static boolean isStarted(Machine<CoreNode> machine) {
    return machine.node().map(Fleet::isServing).orElse(false);
  }

  private static NodeRuntime core(Machine<CoreNode> machine) {
    return machine.node().orElseThrow().core();
  }

  private static String id(Machine<CoreNode> machine) {
    return core(machine).cluster().nodeId();
  }

  private static boolean doubts(Machine<CoreNode> machine) {
    return core(machine).health().report().problems().stream()
        .anyMatch(problem -> problem.condition() == Condition.RING);
  }

  /** The owner of the token, as a node sees it. */
  private static String owner(Machine<CoreNode> machine) {
    for (RingNode node : core(machine).cluster().topology().ring().nodes()) {
      for (byte[] token : node.tokens()) {
        if (HexFormat.of().formatHex(token).endsWith("3e8")) {
          return node.id();
        }
      }
    }
    return "none";
  }
}
