package dev.colonnade.server.sim.cluster;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DropColumnFamilyRequest;
import dev.colonnade.admin.v1.DropKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc.SchemaServiceFutureStub;
import dev.colonnade.admin.v1.UpdateColumnFamilyRequest;
import dev.colonnade.admin.v1.UpdateKeyspaceRequest;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.net.PeerAddress;
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

  /** How long a client waits for a change, which waits for other nodes. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Duration ENDING = Duration.ofMinutes(2);
  private static final Duration SETTLING = Duration.ofMinutes(5);

  private final World<CoreNode> world;
  private final Set<FaultKind> kinds;
  private final Fleet fleet;
  private final Chaos<CoreNode> chaos;
  private final Programs programs;
  private final NodeClient operator;
  private final NodeClient patient;
  private final Rng rng;
  private final List<String> violations = new ArrayList<>();

  /** Calls by the families of {@link #KEPT} that they make or drop. */
  private final Map<String, CompletableFuture<String>> made = new TreeMap<>();

  private final Map<String, CompletableFuture<String>> dropped = new TreeMap<>();
  private final List<CompletableFuture<String>> calls = new ArrayList<>();
  private Duration settled = Duration.ZERO;
  private int collisions;
  private int disputes;
  private int nodesChanged;

  private SchemaRun(long seed, DataRun.Settings settings) {
    Manners manners = Manners.drawn(seed, PATIENCE);
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
                    manners.settings().with(ClusterSettings.SEEDS, List.of("10.0.0.1", "10.0.0.2")),
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
    this.programs = new Programs(world, manners);
    this.operator = programs.operator("operator");
    this.patient = programs.patientOperator("last operator");
  }

  /** Runs a seed. */
  static RunReport of(long seed, DataRun.Settings settings) {
    SchemaRun run = new SchemaRun(seed, settings);
    try {
      run.fleet.form(KEPT, settings.replicas(), List.of("F"));
      run.fleet.make(DISPUTED, settings.replicas(), List.of("F"), Map.of());
      run.programs.sayWhoTheyAre(run.fleet);
      run.load();
      run.heal();
      run.check();
    } catch (AssertionError | IOException e) {
      run.violations.add(DataRun.words(e));
    }
    run.world
        .failures()
        .forEach(failure -> run.violations.add("thrown: " + DataRun.words(failure)));
    RunReport report = run.report();
    run.world.close();
    return report;
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
        world.runUntil(() -> calls.stream().allMatch(CompletableFuture::isDone), ENDING),
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
      var unused =
          ask(
              rivals.get(i),
              isPlacement
                  ? placement(
                      i == 0 && !isAboutDatacenters ? factor(DISPUTED) : datacenters(DISPUTED))
                  : threshold(DISPUTED, "F", i == 0));
    }
    disputes += rivals.size() == 2 ? 1 : 0;
  }

  private void change(Machine<CoreNode> machine, int number) {
    if (rng.chance(300)) {
      String name = "X" + number;
      made.put(name, ask(machine, createFamily(KEPT, name)));
      return;
    }
    List<String> droppable = made.keySet().stream().filter(x -> !dropped.containsKey(x)).toList();
    if (rng.chance(150) && !droppable.isEmpty()) {
      String name = rng.oneOf(droppable);
      dropped.put(name, ask(machine, dropFamily(KEPT, name)));
      return;
    }
    var unused = ask(machine, shared());
  }

  private CompletableFuture<String> ask(Machine<CoreNode> machine, Change change) {
    return ask(operator, machine, change);
  }

  private CompletableFuture<String> ask(NodeClient as, Machine<CoreNode> machine, Change change) {
    CompletableFuture<String> call =
        as.call(machine, SchemaServiceGrpc::newFutureStub, change::by)
            .thenApply(answer -> "changed");
    calls.add(call);
    return call;
  }

  private static boolean succeeded(CompletableFuture<String> call) {
    return call.isDone() && !call.isCompletedExceptionally();
  }

  /** A change of the schema. */
  private interface Change {
    ListenableFuture<? extends Message> by(SchemaServiceFutureStub schema);
  }

  private static Change createFamily(String keyspace, String name) {
    CreateColumnFamilyRequest request =
        CreateColumnFamilyRequest.newBuilder().setColumnFamily(family(keyspace, name)).build();
    return schema -> schema.createColumnFamily(request);
  }

  private static Change dropFamily(String keyspace, String name) {
    DropColumnFamilyRequest request =
        DropColumnFamilyRequest.newBuilder().setKeyspace(keyspace).setName(name).build();
    return schema -> schema.dropColumnFamily(request);
  }

  private static ColumnFamilyDef family(String keyspace, String name) {
    return ColumnFamilyDef.newBuilder().setKeyspace(keyspace).setName(name).build();
  }

  /** A change of what other changes are about as well. */
  private Change shared() {
    String keyspace = rng.oneOf(KEYSPACES);
    String name = rng.oneOf(FAMILIES);
    return switch (rng.between(0, 9)) {
      case 0, 1, 2 -> {
        CreateKeyspaceRequest request =
            CreateKeyspaceRequest.newBuilder()
                .setKeyspace(placed(keyspace).addColumnFamilies(family(keyspace, name)))
                .setForce(true)
                .build();
        yield schema -> schema.createKeyspace(request);
      }
      case 3 ->
          schema -> schema.dropKeyspace(DropKeyspaceRequest.newBuilder().setName(keyspace).build());
      case 4 -> createFamily(keyspace, name);
      case 5 -> dropFamily(keyspace, name);
      case 6, 7 -> threshold(keyspace, name, rng.chance(500));
      default -> placement(placed(keyspace));
    };
  }

  private static Change placement(KeyspaceDef.Builder keyspace) {
    UpdateKeyspaceRequest request =
        UpdateKeyspaceRequest.newBuilder()
            .setKeyspace(keyspace)
            .setUpdateMask(FieldMask.newBuilder().addAllPaths(PLACEMENT))
            .setForce(true)
            .build();
    return schema -> schema.updateKeyspace(request);
  }

  /** One of two thresholds, which must not cross. */
  private Change threshold(String keyspace, String name, boolean isLeast) {
    ColumnFamilyDef.Builder family = family(keyspace, name).toBuilder();
    int threshold = rng.between(2, 40);
    UpdateColumnFamilyRequest request =
        UpdateColumnFamilyRequest.newBuilder()
            .setColumnFamily(
                isLeast
                    ? family.setMinCompactionThreshold(threshold)
                    : family.setMaxCompactionThreshold(threshold))
            .build();
    return schema -> schema.updateColumnFamily(request);
  }

  private KeyspaceDef.Builder placed(String keyspace) {
    return rng.chance(500) ? factor(keyspace) : datacenters(keyspace);
  }

  private KeyspaceDef.Builder factor(String keyspace) {
    return KeyspaceDef.newBuilder()
        .setName(keyspace)
        .setReplicaPlacementStrategy("SimpleStrategy")
        .setReplicationFactor(rng.between(1, 3));
  }

  private KeyspaceDef.Builder datacenters(String keyspace) {
    Map<String, Integer> replicas = new TreeMap<>();
    for (String datacenter : DATACENTERS) {
      if (rng.chance(500)) {
        replicas.put(datacenter, rng.between(1, 3));
      }
    }
    return KeyspaceDef.newBuilder()
        .setName(keyspace)
        .setReplicaPlacementStrategy("NetworkTopologyStrategy")
        .putAllDatacenterReplicas(replicas.isEmpty() ? Map.of("DC1", 1) : replicas);
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
          world.runUntil(() -> calls.stream().allMatch(CompletableFuture::isDone), ENDING),
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
          if (succeeded(call) && holds(first, name)) {
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
      CompletableFuture<String> call =
          ask(patient, machine, createFamily(KEPT, "Last" + machine.name()));
      Fleet.require(world.runUntil(call::isDone, ENDING), "the last changes hang");
      if (!succeeded(call)) {
        violations.add(machine + " takes no change any more: " + call);
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

  private void checkMade(Schema schema, String name, CompletableFuture<String> call) {
    if (succeeded(call) && !dropped.containsKey(name) && !holds(schema, name)) {
      violations.add("family " + name + " was made, and is not there");
    }
  }

  private static boolean holds(Schema schema, String family) {
    return schema.keyspace(KEPT).flatMap(keyspace -> keyspace.family(family)).isPresent();
  }

  private RunReport report() {
    long acknowledged = calls.stream().filter(SchemaRun::succeeded).count();
    Map<String, Long> sometimes = DataRun.seen(world);
    sometimes.put("change unknown or refused", calls.size() - acknowledged);
    sometimes.putAll(programs.seen());
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
