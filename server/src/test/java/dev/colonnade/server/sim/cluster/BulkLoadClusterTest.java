package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.cluster.repair.RepairTask;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.bulkload.BulkLoad;
import dev.colonnade.server.service.bulkload.LoadTarget;
import dev.colonnade.server.service.bulkload.LoadWriter;
import dev.colonnade.server.sim.Machine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Loads at the nodes of a ring, two copies of each row, without hints or reads that mend; and the
 * repairs that follow where a replica was down.
 */
final class BulkLoadClusterTest extends MembershipScenario {
  private static final byte[] COLUMN = {'c'};

  /** Later than all simulated times. */
  private static final long TIMESTAMP = 1L << 60;

  BulkLoadClusterTest() {
    super(false);
  }

  private static List<TokenRange> ranges(CoreNode node, Keyspace keyspace) {
    Topology topology = node.core().cluster().topology();
    String self = topology.self().id();
    List<TokenRange> own = new ArrayList<>();
    for (TokenRange range : topology.ring().ranges()) {
      for (RingNode replica : topology.placement(keyspace).owners(range.end()).replicas()) {
        if (replica.id().equals(self)) {
          own.add(range);
        }
      }
    }
    return own;
  }

  private static BulkLoad open(CoreNode node) {
    Keyspace keyspace = node.core().schema().current().keyspace("K").orElseThrow();
    ColumnFamily family = families(node).get(0);
    return node.core()
        .bulkLoads()
        .open(
            new LoadTarget(
                keyspace, family, family.truncation(), ranges(node, keyspace), "a test"));
  }

  /** Sends a node the rows that it owns. */
  private CompletableFuture<BulkLoad.Progress> send(
      Machine<CoreNode> machine, BulkLoad load, String value) {
    List<RowKey> keys = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      if (owns(machine, i)) {
        keys.add(CoreNode.key(key(i)));
      }
    }
    keys.sort(null);
    return load.write(0, 1_000, writer -> write(keys, value, writer));
  }

  private static void write(List<RowKey> keys, String value, LoadWriter writer) throws IOException {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    for (RowKey key : keys) {
      writer.beginRow(key);
      writer.add(Cell.live(COLUMN, null, bytes, TIMESTAMP));
    }
  }

  private BulkLoad.Committed load(Machine<CoreNode> machine, String value) {
    int rows = held(machine);
    return await(
        machine,
        node -> {
          BulkLoad load = open(node);
          return send(machine, load, value).thenCompose(sent -> load.commit(1, rows, null));
        });
  }

  private long differences(Machine<CoreNode> machine, boolean isDry) {
    RepairProgress repaired =
        await(
            machine,
            node ->
                node.core()
                    .repairs()
                    .repair(families(node), Optional.empty(), isDry, progress -> {}));
    return repaired.mismatchedRanges();
  }

  @Test
  void everyReplicaHasTheRowsThatWereLoadedAtIt() throws Exception {
    begin(3);
    writeAll("old");
    long rows = 0;
    for (Machine<CoreNode> machine : world.machines()) {
      rows += load(machine, "loaded").rows();
    }
    assertEquals(2L * ROWS, rows);
    for (Machine<CoreNode> machine : world.machines()) {
      assertEquals(0, differences(machine, true), machine.name());
    }
    requireAll("loaded");
  }

  @Test
  void aReplicaThatCrashesHasNothingOfItsLoadAndRepairBringsIt() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    load(world.machines().get(0), "loaded");
    load(world.machines().get(1), "loaded");
    await(third, node -> send(third, open(node), "loaded"));
    third.kill();
    third.start();
    assertTrue(world.runUntil(this::isStarted, LIMIT), "it starts again");
    awaitRing(3);
    assertTrue(differences(third, true) > 0, () -> held(third) + " rows are missing at " + ring());

    differences(third, false);
    for (Machine<CoreNode> machine : world.machines()) {
      assertEquals(0, differences(machine, true), machine.name());
    }
    requireAll("loaded");
  }

  /** Loads where a node is that is not the third, which is down; each is told what that lacks. */
  private Machine<CoreNode> loadWithoutTheThird() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    String id = node(2).core().cluster().nodeId();
    third.kill();
    for (Machine<CoreNode> machine : world.machines().subList(0, 2)) {
      load(machine, "loaded");
      boolean kept =
          await(
              machine,
              node ->
                  node.core()
                      .bulkLoads()
                      .scheduleRepair(
                          node.core().schema().current().keyspace("K").orElseThrow(),
                          new RepairTask(families(node).get(0).id(), id, shared(node, id))));
      assertTrue(kept);
    }
    assertEquals(List.of(1, 1), pending());
    return third;
  }

  private static List<TokenRange> shared(CoreNode node, String other) {
    Keyspace keyspace = node.core().schema().current().keyspace("K").orElseThrow();
    Topology topology = node.core().cluster().topology();
    return ranges(node, keyspace).stream()
        .filter(
            range ->
                topology.placement(keyspace).owners(range.end()).replicas().stream()
                    .anyMatch(replica -> replica.id().equals(other)))
        .toList();
  }

  /** How many ranges the first two nodes have to repair. */
  private List<Integer> pending() {
    return List.of(0, 1).stream()
        .map(index -> node(index).core().bulkLoads().figures().pendingRepairs())
        .toList();
  }

  private void awaitNothingPending() {
    assertTrue(
        world.runUntil(() -> isStarted() && pending().equals(List.of(0, 0)), LIMIT),
        () -> "repairs are pending: " + pending());
  }

  @Test
  void aReplicaThatWasDownGetsTheRowsByItself() throws Exception {
    Machine<CoreNode> third = loadWithoutTheThird();
    world.advance(Duration.ofMinutes(2));
    assertEquals(List.of(1, 1), pending(), "it is down");
    third.start();
    awaitNothingPending();
    awaitRing(3);
    for (Machine<CoreNode> machine : world.machines()) {
      assertEquals(0, differences(machine, true), machine.name());
    }
    requireAll("loaded");
  }

  @Test
  void aNodeRemembersItsRepairsWhenItCrashes() throws Exception {
    Machine<CoreNode> third = loadWithoutTheThird();
    for (Machine<CoreNode> machine : world.machines().subList(0, 2)) {
      machine.kill();
      machine.start();
    }
    assertTrue(world.runUntil(this::isStarted, LIMIT), "they start again");
    assertEquals(List.of(1, 1), pending());
    third.start();
    awaitNothingPending();
    awaitRing(3);
    requireAll("loaded");
    // Nothing of them is left.
    for (Machine<CoreNode> machine : world.machines().subList(0, 2)) {
      machine.kill();
      machine.start();
    }
    awaitRing(3);
    assertEquals(List.of(0, 0), pending());
  }

  @Test
  void repairsOfADroppedFamilyAreForgotten() throws Exception {
    Machine<CoreNode> third = loadWithoutTheThird();
    String dropped =
        failure(world.machines().get(0), node -> node.core().schema().dropFamily("K", "F"));
    assertTrue(dropped.contains("have not confirmed it yet"), dropped);
    awaitNothingPending();
    third.start();
    awaitRing(3);
    assertEquals(
        0, node(0).core().repairs().figures().done() + node(1).core().repairs().figures().done());
  }

  @Test
  void repairsWithARemovedNodeAreForgotten() throws Exception {
    begin(3);
    String id = node(2).core().cluster().nodeId();
    world.machines().get(2).kill();
    await(
        world.machines().get(0),
        node ->
            node.core()
                .bulkLoads()
                .scheduleRepair(
                    node.core().schema().current().keyspace("K").orElseThrow(),
                    new RepairTask(families(node).get(0).id(), id, shared(node, id))));
    assertEquals(List.of(1, 0), pending());
    assertTrue(
        world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT),
        "it is known to be down");
    await(
        world.machines().get(0),
        node -> node.core().membership().remove(id, false, progress -> {}));
    awaitNothingPending();
  }

  @Test
  void noLoadIsTakenWhileANodeJoins() throws Exception {
    begin(3);
    Machine<CoreNode> first = world.machines().get(0);
    add();
    assertTrue(world.runUntil(() -> joining().isPresent(), LIMIT), "a node joins");
    String failure = "";
    for (Machine<CoreNode> machine : world.machines().subList(0, 3)) {
      failure +=
          failure(
              machine,
              node ->
                  CompletableFuture.completedFuture(node)
                      .thenApply(BulkLoadClusterTest::open)
                      .thenAccept(load -> load.cancel("it was taken")));
    }
    assertTrue(failure.contains("is about to become a replica"), failure);
    assertTrue(world.runUntil(() -> ring().size() == 4 && isStarted(), LIMIT), "it has joined");
    assertTrue(load(first, "loaded").rows() > 0);
  }
}
