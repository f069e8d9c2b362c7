package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.World;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * One run of a cluster whose schema is changed at all nodes at once while things go wrong; then all
 * is healed, and all nodes must have one schema, with what was acknowledged, that outlasts a
 * restart and can be changed at each of them.
 */
final class SchemaRun {

  /** Of families with names of their own; it is never dropped. */
  private static final String KEPT = "K";

  /** With one family, {@code F}; it is never dropped, and its fields are what nodes disagree on. */
  private static final String DISPUTED = "D";

  private static final List<String> PLACEMENT =
      List.of("replica_placement_strategy", "datacenter_replicas", "replication_factor");

  /** Keyspaces and families that several changes are about. */
  private static final List<String> KEYSPACES = List.of("A", "B");

  private static final List<String> FAMILIES = List.of("F", "G");
  private static final List<String> DATACENTERS = List.of("DC1", "DC2", "DC3");
  private static final Duration ENDING = Duration.ofMinutes(2);
  private static final Duration SETTLING = Duration.ofMinutes(5);

  private final World<CoreNode> world;
  private final Set<FaultKind> kinds;
  private final Fleet fleet;
  private final Chaos<CoreNode> chaos;
  private final Rng rng;
  private final List<String> violations = new ArrayList<>();

  /** Calls by the families of {@link #KEPT} that they make or drop. */
  private final Map<String, Fleet.Call<String>> made = new TreeMap<>();

  private final Map<String, Fleet.Call<String>> dropped = new TreeMap<>();
  private final List<Fleet.Call<String>> calls = new ArrayList<>();
  private Duration settled = Duration.ZERO;
  private int collisions;
  private int disputes;
  private int nodesChanged;

  private SchemaRun(long seed, DataRun.Settings settings) {
    Map<String, String> tokens = new TreeMap<>();
    BigInteger step = BigInteger.ONE.shiftLeft(127).divide(BigInteger.valueOf(settings.nodes()));
    for (int i = 1; i <= settings.nodes(); i++) {
      tokens.put("n" + i, step.multiply(BigInteger.valueOf(i - 1)).toString());
    }
    this.world =
        new World<>(
            seed,
            World.Settings.DEFAULT.keeping(settings.keptEntries()),
            CoreNode.factory(
                new CoreNode.Plan(
                    SimulatedStore.TINY,
                    NodeSettings.DEFAULT
                        .with(ClusterSettings.NAME, "simulated")
                        .with(ClusterSettings.SEEDS, List.of("10.0.0.1", "10.0.0.2")),
                    tokens,
                    Map.of(),
                    settings.coordination())));
    this.rng = new Rng(world.random("schema changes"));
    this.kinds = FaultKind.chosen(world, settings.allowed());
    this.fleet = new Fleet(world);
    for (int i = 1; i <= settings.nodes(); i++) {
      fleet.add(world.add("n" + i, new PeerAddress("10.0.0." + i, 7000)));
    }
    this.chaos = new Chaos<>(world, kinds, 2);
  }

  /** Runs a seed. */
  static RunReport of(long seed, DataRun.Settings settings) {
    SchemaRun run = new SchemaRun(seed, settings);
    try {
      run.fleet.form(KEPT, settings.replicas(), List.of("F"));
      run.fleet.make(DISPUTED, settings.replicas(), List.of("F"), Map.of());
      run.load();
      run.heal();
      run.check();
    } catch (AssertionError | IOException e) {
      run.violations.add(DataRun.words(e));
    }
    run.world
        .failures()
        .forEach(failure -> run.violations.add("thrown: " + DataRun.words(failure)));
    return run.report();
  }

  private void load() {
    chaos.start();
    int changes = rng.between(30, 60);
    for (int i = 0; i < changes; i++) {
      world.advance(rng.millis(0, rng.chance(700) ? 50 : 1_500));
      Machine<CoreNode> machine = rng.oneOf(fleet.members());
      if (serves(machine)) {
        change(machine, i);
      }
      if (rng.chance(250)) {
        dispute();
      }
    }
    Fleet.require(
        world.runUntil(() -> calls.stream().allMatch(Fleet.Call::isOver), ENDING),
        "a change of schema waits for ever");
  }

  private static boolean serves(Machine<CoreNode> machine) {
    return machine.node().map(Fleet::isServing).orElse(false);
  }

  /**
   * Two nodes change the same thing before either can have heard of the other's change, each to
   * what is valid for itself and often is not together with the other's.
   */
  private void dispute() {
    List<Machine<CoreNode>> rivals =
        rng.shuffled(fleet.members()).stream().filter(SchemaRun::serves).limit(2).toList();
    boolean isPlacement = rng.chance(700);
    boolean isAboutDatacenters = rng.chance(300);
    for (int i = 0; i < rivals.size(); i++) {
      ask(
          rivals.get(i),
          isPlacement
              ? placement(
                  i == 0 && !isAboutDatacenters
                      ? factor(KeyspaceDefinition.of(DISPUTED))
                      : datacenters(KeyspaceDefinition.of(DISPUTED)))
              : threshold(
                  DISPUTED,
                  "F",
                  i == 0
                      ? FamilyField.MIN_COMPACTION_THRESHOLD
                      : FamilyField.MAX_COMPACTION_THRESHOLD));
    }
    disputes += rivals.size() == 2 ? 1 : 0;
  }

  private void change(Machine<CoreNode> machine, int number) {
    if (rng.chance(300)) {
      String name = "X" + number;
      made.put(name, ask(machine, schema -> schema.createFamily(FamilyDefinition.of(KEPT, name))));
      return;
    }
    List<String> droppable = made.keySet().stream().filter(x -> !dropped.containsKey(x)).toList();
    if (rng.chance(150) && !droppable.isEmpty()) {
      String name = rng.oneOf(droppable);
      dropped.put(name, ask(machine, schema -> schema.dropFamily(KEPT, name)));
      return;
    }
    ask(machine, shared());
  }

  private Fleet.Call<String> ask(
      Machine<CoreNode> machine, Function<SchemaStore, CompletableFuture<String>> change) {
    Fleet.Call<String> call = fleet.call(machine, node -> change.apply(node.core().schema()));
    calls.add(call);
    return call;
  }

  /** A change of what other changes are about as well. */
  private Function<SchemaStore, CompletableFuture<String>> shared() {
    String keyspace = rng.oneOf(KEYSPACES);
    FamilyDefinition family = FamilyDefinition.of(keyspace, rng.oneOf(FAMILIES));
    KeyspaceDefinition definition = KeyspaceDefinition.of(keyspace);
    return switch (rng.between(0, 9)) {
      case 0, 1, 2 -> {
        KeyspaceDefinition made = placed(definition).withFamily(family);
        yield schema -> schema.createKeyspace(made);
      }
      case 3 -> schema -> schema.dropKeyspace(keyspace);
      case 4 -> schema -> schema.createFamily(family);
      case 5 -> schema -> schema.dropFamily(keyspace, family.name());
      case 6, 7 ->
          threshold(
              keyspace,
              family.name(),
              rng.chance(500)
                  ? FamilyField.MIN_COMPACTION_THRESHOLD
                  : FamilyField.MAX_COMPACTION_THRESHOLD);
      default -> placement(placed(definition));
    };
  }

  private static Function<SchemaStore, CompletableFuture<String>> placement(
      KeyspaceDefinition definition) {
    return schema -> schema.updateKeyspace(definition, PLACEMENT);
  }

  /** One of two thresholds, which must not cross. */
  private Function<SchemaStore, CompletableFuture<String>> threshold(
      String keyspace, String name, FamilyField field) {
    FamilyDefinition family = FamilyDefinition.of(keyspace, name).with(field, rng.between(2, 40));
    return schema -> schema.updateFamily(family, List.of());
  }

  private KeyspaceDefinition placed(KeyspaceDefinition definition) {
    return rng.chance(500) ? factor(definition) : datacenters(definition);
  }

  private KeyspaceDefinition factor(KeyspaceDefinition definition) {
    return definition.withStrategy("SimpleStrategy").withReplicationFactor(rng.between(1, 3));
  }

  private KeyspaceDefinition datacenters(KeyspaceDefinition definition) {
    Map<String, Integer> replicas = new TreeMap<>();
    for (String datacenter : DATACENTERS) {
      if (rng.chance(500)) {
        replicas.put(datacenter, rng.between(1, 3));
      }
    }
    return definition
        .withStrategy("NetworkTopologyStrategy")
        .withDatacenterReplicas(replicas.isEmpty() ? Map.of("DC1", 1) : replicas);
  }

  private void heal() throws IOException {
    Duration begin = world.age();
    chaos.heal();
    fleet.restartBroken();
    Fleet.require(
        fleet.becomesWhole(SETTLING), "the nodes do not find together again: " + fleet.views());
    for (int round = 0; round < 3; round++) {
      Fleet.require(world.runUntil(this::agree, SETTLING), "the schemas stay apart: " + versions());
      // What collided before may have been changed again since, and so be valid.
      dispute();
      Fleet.require(
          world.runUntil(() -> calls.stream().allMatch(Fleet.Call::isOver), ENDING),
          "the changes of two nodes at once hang");
    }
    Fleet.require(world.runUntil(this::agree, SETTLING), "the schemas stay apart: " + versions());
    settled = world.age().minus(begin);
  }

  private boolean agree() {
    return versions().size() == 1;
  }

  private Set<String> versions() {
    Set<String> versions = new TreeSet<>();
    fleet.up().forEach(node -> versions.add(schema(node).version()));
    return versions;
  }

  private static Schema schema(CoreNode node) {
    return node.core().schema().current();
  }

  private void check() throws IOException {
    sameEverywhere();
    Schema first = schema(fleet.up().get(0));
    collisions = first.setAside().size();
    made.forEach((name, call) -> checkMade(first, name, call));
    dropped.forEach(
        (name, call) -> {
          if (call.succeeded() && holds(first, name)) {
            violations.add("family " + name + " was dropped, and is there");
          }
        });
    for (Machine<CoreNode> machine : fleet.members()) {
      // An orderly restart that began among the faults may end only now.
      if (machine.state() != Machine.State.DOWN) {
        machine.kill();
      }
      machine.start();
    }
    Fleet.require(fleet.becomesWhole(SETTLING), "not whole after a restart: " + fleet.views());
    Fleet.require(world.runUntil(this::agree, SETTLING), "apart after a restart: " + versions());
    if (!versions().contains(first.version())) {
      violations.add("after a restart of all nodes the schema is another one");
    }
    for (Machine<CoreNode> machine : fleet.members()) {
      Fleet.Call<String> call =
          ask(
              machine,
              schema -> schema.createFamily(FamilyDefinition.of(KEPT, "Last" + machine.name())));
      Fleet.require(world.runUntil(call::isOver, ENDING), "the last changes hang");
      if (!call.succeeded()) {
        violations.add(machine + " takes no change any more: " + call.failure());
      }
      nodesChanged++;
    }
    Fleet.require(world.runUntil(this::agree, SETTLING), "apart in the end: " + versions());
    sameEverywhere();
  }

  private void sameEverywhere() {
    Schema first = schema(fleet.up().get(0));
    for (CoreNode node : fleet.up()) {
      Schema other = schema(node);
      if (!first.keyspaces().equals(other.keyspaces())
          || !first.setAside().equals(other.setAside())) {
        violations.add("of one version, and different: " + first.rows() + ", " + other.rows());
      }
    }
  }

  private void checkMade(Schema schema, String name, Fleet.Call<String> call) {
    if (call.succeeded() && !dropped.containsKey(name) && !holds(schema, name)) {
      violations.add("family " + name + " was made, and is not there");
    }
  }

  private static boolean holds(Schema schema, String family) {
    return schema.keyspace(KEPT).flatMap(keyspace -> keyspace.family(family)).isPresent();
  }

  private RunReport report() {
    long acknowledged = calls.stream().filter(Fleet.Call::succeeded).count();
    Map<String, Long> sometimes = DataRun.seen(world);
    sometimes.put("change unknown or refused", calls.size() - acknowledged);
    sometimes.put("family set aside", (long) collisions);
    sometimes.put("changed by two at once", (long) disputes);
    return new RunReport(
        world.seed(),
        world.trace().hash(),
        world.events(),
        world.age(),
        kinds,
        chaos.done(),
        acknowledged,
        nodesChanged,
        calls.size() - acknowledged,
        settled,
        sometimes,
        List.copyOf(violations),
        world.trace().latest());
  }
}
