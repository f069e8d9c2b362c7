package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.AccessSettings.Authentication;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.HealthSettings;
import dev.colonnade.server.base.config.HealthSettings.DiskFailurePolicy;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.Clockwise;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.World;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.engine.EngineSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A simulated cluster of real nodes, two copies of each row, and what tests ask of it. */
abstract class MembershipScenario {

  static final long SEED = 20261122;
  static final int ROWS = 60;
  static final Duration LIMIT = Duration.ofMinutes(5);

  /** The ids of dead nodes by the names of the machines that are to replace them. */
  final Map<String, String> replaced = new HashMap<>();

  /** What nodes that are started from now on do when a disk fails. */
  DiskFailurePolicy disks = HealthSettings.DISK_FAILURES.defaultValue();

  final World<CoreNode> world;

  final CoreRegisters atAll = new CoreRegisters("K", "F", Consistency.ALL, Duration.ofSeconds(10));

  @AfterEach
  void letGo() {
    world.close();
  }

  /** Nodes with hints, and one token each. */
  MembershipScenario() {
    this(true, 1);
  }

  /** With or without hints, which make replicas equal where something else is to be shown to. */
  MembershipScenario(boolean hints) {
    this(hints, 1);
  }

  /** With a number of tokens each. */
  MembershipScenario(int tokens) {
    this(true, tokens);
  }

  /** With changes of the ring as patient as these settings say. */
  MembershipScenario(MembershipSettings membership) {
    this(true, 1, membership);
  }

  private MembershipScenario(boolean hints, int tokens) {
    this(hints, tokens, MembershipSettings.DEFAULT);
  }

  /** With nodes that ask clients who they are. */
  MembershipScenario(Authentication authentication) {
    this(true, 1, MembershipSettings.DEFAULT, authentication, SimulatedStore.TINY);
  }

  /** With stores that have other limits. */
  MembershipScenario(EngineSettings engine) {
    this(true, 1, MembershipSettings.DEFAULT, Authentication.NONE, engine);
  }

  /** With rows placed by another partitioner, and stores that have other limits. */
  MembershipScenario(Partitioner partitioner, EngineSettings engine) {
    this(true, 1, MembershipSettings.DEFAULT, Authentication.NONE, engine, partitioner);
  }

  private MembershipScenario(boolean hints, int tokens, MembershipSettings membership) {
    this(hints, tokens, membership, Authentication.NONE, SimulatedStore.TINY);
  }

  private MembershipScenario(
      boolean hints,
      int tokens,
      MembershipSettings membership,
      Authentication authentication,
      EngineSettings engine) {
    this(hints, tokens, membership, authentication, engine, Partitioners.RANDOM);
  }

  private MembershipScenario(
      boolean hints,
      int tokens,
      MembershipSettings membership,
      Authentication authentication,
      EngineSettings engine,
      Partitioner partitioner) {
    world =
        new World<>(
            SEED,
            World.Settings.DEFAULT,
            CoreNode.factory(
                new CoreNode.Plan(
                    engine,
                    NodeSettings.DEFAULT
                        .with(ClusterSettings.NAME, "simulated")
                        .with(ClusterSettings.AUTO_BOOTSTRAP, true)
                        .with(ReplicationSettings.HINTED_HANDOFF, hints)
                        .with(ClusterSettings.TOKENS, tokens)
                        .with(AccessSettings.AUTHENTICATION, authentication)
                        .with(ClusterSettings.SEEDS, List.of("10.0.0.1", "10.0.0.2")),
                    Map.of(),
                    replaced,
                    CoordinatorSettings.DEFAULT,
                    membership,
                    partitioner,
                    List::of,
                    () -> disks)));
  }

  static List<ColumnFamily> families(CoreNode node) {
    try {
      return List.of(node.family("K", "F"));
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  void begin(int nodes) throws IOException {
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

  Machine<CoreNode> machine(int number) {
    return world.add("n" + number, new PeerAddress("10.0.0." + number, 7000));
  }

  Machine<CoreNode> add() throws IOException {
    Machine<CoreNode> machine = machine(world.machines().size() + 1);
    machine.start();
    return machine;
  }

  CoreNode node(int index) {
    return world.machines().get(index).node().orElseThrow();
  }

  boolean isStarted() {
    return world.machines().stream()
        .allMatch(machine -> machine.node().map(CoreNode::isStarted).orElse(true));
  }

  /** Who serves, as the first node sees it. */
  List<String> ring() {
    if (!node(0).isStarted()) {
      return List.of();
    }
    return node(0).core().cluster().topology().ring().nodes().stream()
        .map(member -> member.address())
        .sorted()
        .toList();
  }

  Optional<Topology.Place> joining() {
    return node(0).core().cluster().topology().places().stream()
        .filter(place -> place.state() == Topology.RingState.JOINING)
        .findFirst();
  }

  void awaitRing(int size) {
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
            .allMatch(place -> place.state() == Topology.RingState.NORMAL && place.alive());
  }

  static String key(int row) {
    return "row" + row;
  }

  private long clock = 1;

  Version version(String value) {
    return new Version(world.clock().wallMicros() + clock++, value);
  }

  void writeAll(String value) {
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      await(world.machines().get(0), node -> atAll.write(node, key(row), version(value)));
    }
  }

  /** Every row is on all its owners: a read at ALL compares them, and mends nothing here. */
  void requireAll(String value) {
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      assertEquals(value, onOwners(row), key(row));
      Optional<Version> read = await(world.machines().get(0), node -> atAll.read(node, key(row)));
      assertEquals(Optional.of(value), read.map(Version::value), key(row));
    }
  }

  /** As {@link #requireAll}, where machines are down that own nothing. */
  void requireRead(String value) {
    for (int i = 0; i < ROWS; i++) {
      int row = i;
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

  int held(Machine<CoreNode> machine) {
    int held = 0;
    for (int i = 0; i < ROWS; i++) {
      held += owns(machine, i) ? 1 : 0;
    }
    return held;
  }

  /** Whether a machine's node has a copy of a row, as the first node sees it. */
  boolean owns(Machine<CoreNode> machine, int row) {
    String id = machine.node().orElseThrow().core().cluster().nodeId();
    Topology topology = node(0).core().cluster().topology();
    return Clockwise.from(topology.ring(), CoreNode.key(key(row)).token()).stream()
        .limit(2)
        .anyMatch(member -> member.id().equals(id));
  }

  @SuppressWarnings("NullAway") // Null only where nothing but success is waited for.
  <T> T await(Machine<CoreNode> machine, Function<CoreNode, CompletableFuture<T>> call) {
    Outcome<T> outcome = new Outcome<>();
    machine.<T>call(call, outcome::take);
    assertTrue(world.runUntil(() -> outcome.done, LIMIT), "no answer");
    if (outcome.failure != null) {
      throw new AssertionError(outcome.failure);
    }
    return outcome.value;
  }

  <T> String failure(Machine<CoreNode> machine, Function<CoreNode, CompletableFuture<T>> call) {
    return String.valueOf(thrown(machine, call));
  }

  /** What a call fails with, at the bottom of it; null if it does not. */
  <T> @Nullable Throwable thrown(
      Machine<CoreNode> machine, Function<CoreNode, CompletableFuture<T>> call) {
    Outcome<T> outcome = new Outcome<>();
    machine.<T>call(call, outcome::take);
    assertTrue(world.runUntil(() -> outcome.done, LIMIT), "no answer");
    Throwable failure = outcome.failure;
    while (failure != null
        && failure.getCause() != null
        && !(failure instanceof MembershipException)) {
      failure = failure.getCause();
    }
    return failure;
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
