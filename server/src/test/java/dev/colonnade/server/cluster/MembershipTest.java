package dev.colonnade.server.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.config.ClusterSettings;
import dev.colonnade.server.coordinator.Consistency;
import dev.colonnade.server.coordinator.SimulatedStore;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.membership.MembershipException;
import dev.colonnade.server.net.PeerAddress;
import dev.colonnade.server.repair.RepairProgress;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.FamilyDefinition;
import dev.colonnade.server.schema.KeyspaceDefinition;
import dev.colonnade.server.schema.SchemaException;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.World;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nodes come and go while the rows stay. Two copies of each, so that every owner matters. */
class MembershipTest {

  private static final long SEED = 20261122;
  private static final int ROWS = 60;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final World<CoreNode> world =
      new World<>(
          SEED,
          World.Settings.DEFAULT,
          CoreNode.factory(
              new CoreNode.Plan(
                  SimulatedStore.TINY,
                  ClusterSettings.DEFAULT
                      .withName("simulated")
                      .withAutoBootstrap(true)
                      .withSeeds(List.of("10.0.0.1", "10.0.0.2")),
                  Map.of())));

  private final CoreRegisters atAll =
      new CoreRegisters("K", "F", Consistency.ALL, Duration.ofSeconds(10));

  @Test
  void aNodeThatJoinsHasItsRowsBeforeItServes() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = add();
    awaitRing(4);
    assertEquals(4, ring().size());
    assertTrue(held(fourth) > 0, "the new node owns rows");
    requireAll("first");
    writeAll("second");
    requireAll("second");
  }

  @Test
  void writesDuringAJoinReachTheNewNode() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = machine(4);
    fourth.start();
    assertTrue(world.runUntil(() -> joining().isPresent(), LIMIT), "the new node announces itself");
    writeAll("second");
    assertTrue(joining().isPresent(), "it is still joining");
    awaitRing(4);
    requireAll("second");
  }

  @Test
  void aNodeThatLeavesHandsItsRowsOver() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> second = world.machines().get(1);
    await(second, node -> node.core().membership().decommission(progress -> {}));
    awaitRing(3);
    second.kill();
    requireAll("first");
  }

  @Test
  void aNodeThatLeftDoesNotComeBack() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    await(third, node -> node.core().membership().decommission(progress -> {}));
    third.kill();
    third.start();
    assertTrue(
        world.runUntil(() -> third.node().orElseThrow().hasFailed(), LIMIT), "its start fails");
    assertFalse(ring().contains(third.name()));
  }

  @Test
  void aDeadNodeIsRemovedAndItsRowsAreCopiedAnew() throws Exception {
    begin(4);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    String id = third.node().orElseThrow().core().cluster().nodeId();
    Machine<CoreNode> first = world.machines().get(0);
    String refusal = failure(first, node -> node.core().membership().remove(id, progress -> {}));
    assertTrue(refusal.contains("is up"), refusal);
    third.powerCut();
    assertTrue(
        world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT),
        "its death is noticed");
    await(first, node -> node.core().membership().remove(id, progress -> {}));
    awaitRing(3);
    requireAll("first");
  }

  /** Found by seed 1143 of the simulator: two nodes that had forgotten the ring made a quorum. */
  @Test
  void aNodeThatStartsAgainKnowsTheRingBeforeItHearsOfIt() throws Exception {
    begin(3);
    Machine<CoreNode> third = world.machines().get(2);
    third.kill();
    world.network().partition(List.of(world.machines().subList(0, 2), List.of(third)));
    third.start();
    assertTrue(world.runUntil(() -> third.node().orElseThrow().isStarted(), LIMIT), "it starts");
    Topology topology = third.node().orElseThrow().core().cluster().topology();
    assertEquals(3, topology.ring().nodes().size());
    assertEquals(1, topology.places().stream().filter(Topology.Place::alive).count());
  }

  @Test
  void twoNodesDoNotJoinAtOnce() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = machine(4);
    Machine<CoreNode> fifth = machine(5);
    fourth.start();
    fifth.start();
    assertTrue(
        world.runUntil(() -> isDecided(fourth) && isDecided(fifth), LIMIT), "both hear something");
    assertTrue(
        fourth.node().orElseThrow().hasFailed() || fifth.node().orElseThrow().hasFailed(),
        "one at least is refused");
    fourth.kill();
    fifth.kill();
    world.advance(Duration.ofMinutes(1));
    fourth.start();
    awaitRing(4);
    requireAll("first");
  }

  private static boolean isDecided(Machine<CoreNode> machine) {
    CoreNode node = machine.node().orElseThrow();
    return node.hasFailed() || node.isStarted();
  }

  @Test
  void aRepairMakesReplicasEqualAgain() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> third = world.machines().get(2);
    world.network().partition(List.of(world.machines().subList(0, 2), List.of(third)));
    world.advance(Duration.ofSeconds(30));
    CoreRegisters atOne = new CoreRegisters("K", "F", Consistency.ONE, Duration.ofSeconds(10));
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      await(world.machines().get(0), node -> atOne.write(node, key(row), version("second")));
    }
    world.network().heal();
    awaitRing(3);
    RepairProgress repaired = null;
    for (Machine<CoreNode> machine : world.machines()) {
      repaired =
          await(
              machine,
              node ->
                  node.core()
                      .repairs()
                      .repair(families(node), Optional.empty(), false, progress -> {}));
    }
    for (Machine<CoreNode> machine : world.machines()) {
      RepairProgress compared =
          await(
              machine,
              node ->
                  node.core()
                      .repairs()
                      .repair(families(node), Optional.empty(), true, progress -> {}));
      assertEquals(0, compared.mismatchedRanges(), "nothing differs after a repair");
      assertEquals(compared.total(), compared.done());
    }
    assertTrue(repaired != null && repaired.total() > 0);
    requireAll("second");
  }

  private static List<ColumnFamily> families(CoreNode node) {
    try {
      return List.of(node.family("K", "F"));
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  private void begin(int nodes) throws IOException {
    for (int i = 1; i <= nodes; i++) {
      machine(i).start();
      int wanted = i;
      assertTrue(
          world.runUntil(() -> ring().size() == wanted && isStarted(), LIMIT),
          () -> "node " + wanted + " does not join: " + world.failures());
    }
    await(
        world.machines().get(0),
        node ->
            node.core()
                .schema()
                .createKeyspace(
                    KeyspaceDefinition.of("K")
                        .withReplicationFactor(2)
                        .withFamily(FamilyDefinition.of("K", "F"))));
    assertTrue(
        world.runUntil(
            () -> world.machines().stream().allMatch(m -> m.node().orElseThrow().knows("K", "F")),
            LIMIT),
        "the schema spreads");
  }

  private Machine<CoreNode> machine(int number) {
    return world.add("n" + number, new PeerAddress("10.0.0." + number, 7000));
  }

  private Machine<CoreNode> add() throws IOException {
    Machine<CoreNode> machine = machine(world.machines().size() + 1);
    machine.start();
    return machine;
  }

  private CoreNode node(int index) {
    return world.machines().get(index).node().orElseThrow();
  }

  private boolean isStarted() {
    return world.machines().stream()
        .allMatch(machine -> machine.node().map(CoreNode::isStarted).orElse(true));
  }

  /** Who serves, as the first node sees it. */
  private List<String> ring() {
    if (!node(0).isStarted()) {
      return List.of();
    }
    return node(0).core().cluster().topology().ring().nodes().stream()
        .map(member -> member.address())
        .sorted()
        .toList();
  }

  private Optional<Topology.Place> joining() {
    return node(0).core().cluster().topology().places().stream()
        .filter(place -> place.state() == Topology.State.JOINING)
        .findFirst();
  }

  private void awaitRing(int size) {
    assertTrue(
        world.runUntil(
            () ->
                world.machines().stream()
                    .filter(machine -> machine.state() == Machine.State.RUNNING)
                    .map(machine -> machine.node().orElseThrow())
                    .filter(node -> !node.hasFailed() && node.isStarted())
                    .filter(
                        node ->
                            node.core()
                                .cluster()
                                .topology()
                                .place(node.core().cluster().nodeId())
                                .isPresent())
                    .allMatch(node -> sees(node, size)),
            LIMIT),
        () -> "not all nodes see a ring of " + size + ": " + ring());
  }

  private static boolean sees(CoreNode node, int size) {
    Topology topology = node.core().cluster().topology();
    return topology.ring().nodes().size() == size
        && topology.places().stream()
            .allMatch(place -> place.state() == Topology.State.NORMAL && place.alive());
  }

  private static String key(int row) {
    return "row" + row;
  }

  private long clock = 1;

  private Version version(String value) {
    return new Version(world.clock().wallMicros() + clock++, value);
  }

  private void writeAll(String value) {
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      await(world.machines().get(0), node -> atAll.write(node, key(row), version(value)));
    }
  }

  /** Every row is on all its owners: a read at ALL compares them, and mends nothing here. */
  private void requireAll(String value) {
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      assertEquals(value, onOwners(row), key(row));
      Optional<Version> read = await(world.machines().get(0), node -> atAll.read(node, key(row)));
      assertEquals(Optional.of(value), read.map(Version::value), key(row));
    }
  }

  /** The value that all owners of a row have in their own stores, or what they have instead. */
  private String onOwners(int row) {
    ReplicaStates states;
    try {
      states = ReplicaStates.ask(world, "K", "F", List.of(key(row)));
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
    assertTrue(world.runUntil(states::isComplete, LIMIT), "the stores answer");
    List<String> differences = new ArrayList<>(states.check().differences());
    if (!differences.isEmpty()) {
      return differences.toString();
    }
    Optional<Version> read = await(world.machines().get(0), node -> atAll.read(node, key(row)));
    return read.map(Version::value).orElse("nothing");
  }

  private int held(Machine<CoreNode> machine) {
    String id = machine.node().orElseThrow().core().cluster().nodeId();
    int held = 0;
    for (int i = 0; i < ROWS; i++) {
      Topology topology = node(0).core().cluster().topology();
      held +=
          topology.ring().clockwiseFrom(CoreNode.key(key(i)).token()).stream()
                  .limit(2)
                  .anyMatch(member -> member.id().equals(id))
              ? 1
              : 0;
    }
    return held;
  }

  @SuppressWarnings("NullAway") // Null only where nothing but success is waited for.
  private <T> T await(Machine<CoreNode> machine, Function<CoreNode, CompletableFuture<T>> call) {
    Outcome<T> outcome = new Outcome<>();
    machine.<T>call(call, outcome::take);
    assertTrue(world.runUntil(() -> outcome.done, LIMIT), "no answer");
    if (outcome.failure != null) {
      throw new AssertionError(outcome.failure);
    }
    return outcome.value;
  }

  private String failure(
      Machine<CoreNode> machine, Function<CoreNode, CompletableFuture<Void>> call) {
    Outcome<Void> outcome = new Outcome<>();
    machine.<Void>call(call, outcome::take);
    assertTrue(world.runUntil(() -> outcome.done, LIMIT), "no answer");
    Throwable failure = outcome.failure;
    while (failure != null
        && failure.getCause() != null
        && !(failure instanceof MembershipException)) {
      failure = failure.getCause();
    }
    return String.valueOf(failure);
  }

  private static final class Outcome<T> {
    private boolean done;
    private @Nullable T value;
    private @Nullable Throwable failure;

    void take(@Nullable T answer, @Nullable Throwable thrown) {
      value = answer;
      failure = thrown;
      done = true;
    }
  }
}
