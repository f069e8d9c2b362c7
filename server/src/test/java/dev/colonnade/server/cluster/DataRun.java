package dev.colonnade.server.cluster;

import dev.colonnade.server.config.ClusterSettings;
import dev.colonnade.server.coordinator.Consistency;
import dev.colonnade.server.coordinator.SimulatedStore;
import dev.colonnade.server.history.RegisterCheck;
import dev.colonnade.server.net.PeerAddress;
import dev.colonnade.server.net.Verb;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.schema.FamilyDefinition;
import dev.colonnade.server.schema.KeyspaceDefinition;
import dev.colonnade.server.schema.SchemaException;
import dev.colonnade.server.sim.Dice;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.SimNetwork.NetworkFigures;
import dev.colonnade.server.sim.World;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One run of a cluster of real nodes: it forms, clients write and read registers at QUORUM while
 * faults come and go; then all is healed, the nodes have to find together again, and what clients
 * saw and what replicas hold is checked.
 */
public final class DataRun {

  /**
   * How big a run is.
   *
   * @param replicas of each row
   * @param load of the clients
   * @param allowed faults that a seed may choose
   * @param keptEntries how much of the trace is kept in words
   */
  public record Settings(
      int nodes,
      int replicas,
      RegisterSessions.Load load,
      Set<FaultKind> allowed,
      int keptEntries) {
    /** Five nodes, some hundred operations, all faults. */
    public static final Settings DEFAULT =
        new Settings(
            5,
            3,
            new RegisterSessions.Load(8, 12, 600, Duration.ofSeconds(6), 450, 60),
            EnumSet.allOf(FaultKind.class),
            200);

    /** With other faults. */
    public Settings withAllowed(Set<FaultKind> kinds) {
      return new Settings(nodes, replicas, load, kinds, keptEntries);
    }

    /** With more or less of the trace in words. */
    public Settings withKeptEntries(int count) {
      return new Settings(nodes, replicas, load, allowed, count);
    }
  }

  private static final String KEYSPACE = "K";
  private static final String FAMILY = "F";
  private static final Duration FORMING = Duration.ofMinutes(2);
  private static final Duration LOAD_LIMIT = Duration.ofMinutes(20);
  private static final Duration HINTS_LIMIT = Duration.ofHours(1);
  private static final Duration SETTLING = Duration.ofMinutes(2);

  private final Settings settings;
  private final World<CoreNode> world;
  private final Set<FaultKind> kinds;
  private final RegisterSessions<CoreNode> sessions;
  private final Chaos<CoreNode> chaos;
  private final List<String> violations = new ArrayList<>();
  private Duration settled = Duration.ZERO;
  private final boolean waitsForHints;
  private Duration drained = Duration.ZERO;

  private DataRun(long seed, Settings settings) {
    this.settings = settings;
    List<String> seeds = new ArrayList<>();
    Map<String, String> tokens = new TreeMap<>();
    BigInteger step = BigInteger.ONE.shiftLeft(127).divide(BigInteger.valueOf(settings.nodes()));
    for (int i = 1; i <= settings.nodes(); i++) {
      tokens.put("n" + i, step.multiply(BigInteger.valueOf(i - 1)).toString());
      if (i <= 2) {
        seeds.add("10.0.0." + i);
      }
    }
    CoreNode.Plan plan =
        new CoreNode.Plan(
            SimulatedStore.TINY,
            ClusterSettings.DEFAULT.withName("simulated").withSeeds(seeds),
            tokens);
    this.world =
        new World<>(
            seed, World.Settings.DEFAULT.keeping(settings.keptEntries()), CoreNode.factory(plan));
    this.kinds = chosen(settings.allowed());
    this.waitsForHints = new Dice(world.random("patience")).chance(100);
    this.sessions =
        new RegisterSessions<>(
            world,
            new CoreRegisters(KEYSPACE, FAMILY, Consistency.QUORUM, Duration.ofSeconds(4)),
            settings.load());
    this.chaos = new Chaos<>(world, kinds, 2);
  }

  private Set<FaultKind> chosen(Set<FaultKind> allowed) {
    Dice dice = new Dice(world.random("swarm"));
    Set<FaultKind> chosen = EnumSet.noneOf(FaultKind.class);
    for (FaultKind kind : FaultKind.values()) {
      // Each is drawn for, allowed or not, so that leaving one out changes nothing else.
      if (dice.chance(350) && allowed.contains(kind)) {
        chosen.add(kind);
      }
    }
    return chosen;
  }

  /** Runs a seed. */
  public static RunReport of(long seed, Settings settings) {
    DataRun run = new DataRun(seed, settings);
    try {
      run.form();
      run.load();
      run.heal();
      run.check();
    } catch (AssertionError | SchemaException | IOException e) {
      run.violations.add(words(e));
    }
    run.world.failures().forEach(failure -> run.violations.add("thrown: " + words(failure)));
    return run.report();
  }

  private static String words(Throwable failure) {
    StringBuilder words = new StringBuilder(failure.toString());
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
      words.append("; because of ").append(root);
    }
    for (int i = 0; i < Math.min(8, root.getStackTrace().length); i++) {
      words.append("\n      at ").append(root.getStackTrace()[i]);
    }
    return words.toString();
  }

  private void form() throws IOException {
    for (int i = 1; i <= settings.nodes(); i++) {
      world.add("n" + i, new PeerAddress("10.0.0." + i, 7000));
    }
    for (Machine<CoreNode> machine : world.machines()) {
      machine.start();
      world.advance(Duration.ofMillis(100));
    }
    require(world.runUntil(this::isWhole, FORMING), "the cluster does not form");
    @Nullable String[] failed = {null};
    world
        .machines()
        .get(0)
        .<String>call(
            node ->
                node.core()
                    .schema()
                    .createKeyspace(
                        KeyspaceDefinition.of(KEYSPACE)
                            .withReplicationFactor(settings.replicas())
                            .withFamily(FamilyDefinition.of(KEYSPACE, FAMILY))),
            (version, failure) ->
                failed[0] = failure == null ? "no" : "a keyspace cannot be made: " + failure);
    require(world.runUntil(() -> failed[0] != null, FORMING), "a keyspace is never made");
    require("no".equals(failed[0]), String.valueOf(failed[0]));
    require(
        world.runUntil(() -> up().stream().allMatch(node -> node.knows(KEYSPACE, FAMILY)), FORMING),
        "the schema does not spread");
  }

  private void load() {
    sessions.start();
    chaos.start();
    require(world.runUntil(sessions::isDone, LOAD_LIMIT), "clients wait for ever");
  }

  private void heal() throws IOException {
    Duration begin = world.age();
    chaos.heal();
    restartBroken();
    require(
        world.runUntil(this::isWhole, SETTLING),
        "the nodes do not find together again: " + views());
    settled = world.age().minus(begin);
    world.advance(Duration.ofSeconds(10));
    if (waitsForHints) {
      // Of nodes that never seemed to be away the harvester brings them, and it takes its time.
      require(
          world.runUntil(this::isQuiet, HINTS_LIMIT),
          "an hour after all was healed there are hints left: " + hints());
    }
    drained = world.age().minus(begin);
  }

  /** A node whose log failed says so and waits to be started again on a sound disk. */
  private void restartBroken() throws IOException {
    for (Machine<CoreNode> machine : world.machines()) {
      boolean broken =
          machine.state() == Machine.State.RUNNING
              && machine
                  .node()
                  .map(node -> node.core().engine().failure().isPresent())
                  .orElse(false);
      if (broken) {
        machine.kill();
        machine.start();
      }
    }
  }

  /** No hints wait anywhere. */
  private boolean isQuiet() {
    return up().stream().allMatch(node -> node.core().clusterOperations().hints().isEmpty());
  }

  private List<String> hints() {
    return up().stream().map(node -> node.core().clusterOperations().hints().toString()).toList();
  }

  private void check() throws SchemaException {
    boolean[] read = {false};
    sessions.readAll(world.machines().get(0), () -> read[0] = true);
    require(world.runUntil(() -> read[0], SETTLING), "the last reads hang");
    violations.addAll(RegisterCheck.violations(sessions.history()));
    readAtAll();
    ReplicaStates states = ReplicaStates.ask(world, KEYSPACE, FAMILY, sessions.history().keys());
    require(world.runUntil(states::isComplete, SETTLING), "a store does not answer");
    violations.addAll(states.check().differences());
    violations.addAll(states.check().wrongReplicas(settings.replicas()));
  }

  /** Reads every row on all its replicas, which mends what some of them missed. */
  private void readAtAll() {
    CoreRegisters atAll =
        new CoreRegisters(KEYSPACE, FAMILY, Consistency.ALL, Duration.ofSeconds(10));
    int[] waiting = {0};
    for (String key : sessions.history().keys()) {
      waiting[0]++;
      world
          .machines()
          .get(waiting[0] % settings.nodes())
          .call(
              node -> atAll.read(node, key),
              (version, failure) -> {
                if (failure != null) {
                  violations.add("all is well, but " + key + " cannot be read at ALL: " + failure);
                }
                waiting[0]--;
              });
    }
    require(world.runUntil(() -> waiting[0] == 0, SETTLING), "a read at ALL hangs");
  }

  private boolean isWhole() {
    List<CoreNode> up = up();
    return up.size() == settings.nodes() && up.stream().allMatch(this::seesAll);
  }

  private boolean seesAll(CoreNode node) {
    if (!node.isStarted()) {
      return false;
    }
    Topology topology = node.core().cluster().topology();
    return topology.places().size() == settings.nodes()
        && topology.places().stream()
            .allMatch(place -> place.alive() && place.state() == Topology.State.NORMAL);
  }

  private List<CoreNode> up() {
    List<CoreNode> up = new ArrayList<>();
    for (Machine<CoreNode> machine : world.machines()) {
      if (machine.state() == Machine.State.RUNNING) {
        machine.node().ifPresent(up::add);
      }
    }
    return up;
  }

  private long starts() {
    return world.machines().stream().mapToLong(Machine::boots).sum();
  }

  private String views() {
    StringBuilder views = new StringBuilder();
    for (Machine<CoreNode> machine : world.machines()) {
      views.append(machine).append(' ').append(machine.state());
      if (machine.node().isPresent() && machine.node().get().isStarted()) {
        views.append(" sees");
        for (Topology.Place place : machine.node().get().core().cluster().topology().places()) {
          views.append(' ').append(place.node().address()).append(place.alive() ? " up" : " down");
        }
      }
      views.append("; ");
    }
    return views.toString();
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private RunReport report() {
    NetworkFigures network = world.network().figures();
    long unacknowledged =
        sessions.history().keys().stream()
                .mapToLong(key -> sessions.history().writes(key).size())
                .sum()
            - sessions.history().acknowledged();
    Map<String, Long> sometimes = new TreeMap<>();
    sometimes.put("message lost", network.lost());
    sometimes.put("message cut off", network.cut());
    sometimes.put("message doubled", network.doubled());
    sometimes.put("hint delivered", world.network().asked(Verb.HINT));
    sometimes.put("stale replica mended", world.network().asked(Verb.READ_REPAIR));
    sometimes.put("schema fetched", world.network().asked(Verb.SCHEMA_PULL));
    sometimes.put("hints waited for minutes", drained.toMinutes());
    sometimes.put("write unknown or refused", unacknowledged);
    sometimes.put("node started again", starts() - settings.nodes());
    return new RunReport(
        world.seed(),
        world.trace().hash(),
        world.events(),
        world.age(),
        kinds,
        chaos.done(),
        sessions.history().acknowledged(),
        sessions.history().answered(),
        unacknowledged,
        settled,
        sometimes,
        List.copyOf(violations),
        world.trace().latest());
  }
}
