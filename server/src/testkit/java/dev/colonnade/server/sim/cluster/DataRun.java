package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.history.HistoryCheck;
import dev.colonnade.server.history.RegisterHistory;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.SimNetwork.NetworkFigures;
import dev.colonnade.server.sim.World;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.io.IOException;
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
   * @param coordination how replicas are asked and mended
   */
  public record Settings(
      int nodes,
      int replicas,
      RegisterSessions.Load load,
      Set<FaultKind> allowed,
      int keptEntries,
      CoordinatorSettings coordination) {
    /** Five nodes, some hundred operations, all faults. */
    public static final Settings DEFAULT =
        new Settings(
            5,
            3,
            new RegisterSessions.Load(8, 12, 600, Duration.ofSeconds(6), 450, 60),
            EnumSet.allOf(FaultKind.class),
            200,
            CoordinatorSettings.DEFAULT);

    /** With other faults. */
    public Settings withAllowed(Set<FaultKind> kinds) {
      return new Settings(nodes, replicas, load, kinds, keptEntries, coordination);
    }

    /** With more or less of the trace in words. */
    public Settings withKeptEntries(int count) {
      return new Settings(nodes, replicas, load, allowed, count, coordination);
    }

    /** Without mending what reads find to be stale, which clients will see. */
    public Settings withoutReadRepair() {
      return new Settings(
          nodes, replicas, load, allowed, keptEntries, coordination.withoutReadRepair());
    }
  }

  private static final String KEYSPACE = "K";
  private static final String FAMILY = "F";
  private static final String SETS = "S";
  private static final String EXTRA = "X";
  private static final String TWIN = "W";
  private static final String ROWS = "B";
  private static final String SINGLE_KEYSPACE = "O";
  private static final int ROW_OPERATIONS = 200;
  private static final String TRUNCATED = "T";
  private static final String OTHER_KEYSPACE = "L";
  private static final Duration CALL_LIMIT = Duration.ofSeconds(4);
  private static final Duration LOAD_LIMIT = Duration.ofMinutes(20);
  private static final Duration HINTS_LIMIT = Duration.ofHours(1);
  private static final Duration SETTLING = Duration.ofMinutes(2);

  private static final SetSessions.Load SET_LOAD =
      new SetSessions.Load(2, 2, 120, Duration.ofSeconds(6), 250, Duration.ofMillis(300));

  private final Settings settings;
  private final World<CoreNode> world;
  private final Set<FaultKind> kinds;
  private final Fleet fleet;
  private final RegisterSessions<CoreNode> sessions;
  private final SetUp setUp;
  private final Programs programs;
  private final StoreClient.Place registers;
  private final StoreClient.Place setPlace;
  private final SetSessions sets;
  private final TruncationSession truncation;
  private final RowSessions rows;
  private final RowSessions singleRows;
  private final Chaos<CoreNode> chaos;
  private final List<String> violations = new ArrayList<>();
  private Duration settled = Duration.ZERO;
  private final boolean waitsForHints;

  /** No process ends, so that a hint is kept of all that a replica missed. */
  private final boolean hintsAlone;

  private final FinalChecks.Mending mending;
  private Duration drained = Duration.ZERO;
  private final boolean changesSchema;
  private Fleet.@Nullable Call<?> extra;
  private long tornTails;

  private DataRun(long seed, Settings settings) {
    this.settings = settings;
    List<String> seeds = new ArrayList<>();
    this.setUp = SetUp.drawn(seed);
    Manners manners = Manners.drawn(seed, CALL_LIMIT);
    for (int i = 1; i <= 2; i++) {
      seeds.add("10.0.0." + i);
    }
    CoreNode.Plan plan =
        new CoreNode.Plan(
            SimulatedStore.TINY,
            manners.settings().with(ClusterSettings.SEEDS, seeds),
            setUp.tokens(settings.nodes()),
            Map.of(),
            settings.coordination(),
            MembershipSettings.DEFAULT,
            setUp.partitioner(),
            List::of);
    this.world =
        new World<>(
            seed,
            World.Settings.DEFAULT.keeping(settings.keptEntries()),
            CoreNode.factory(plan, this::started));
    this.kinds = FaultKind.chosen(world, settings.allowed());
    Rng choices = new Rng(world.random("patience"));
    this.waitsForHints = choices.chance(100);
    this.hintsAlone = waitsForHints && new Rng(world.random("hints")).chance(500);
    if (hintsAlone) {
      kinds.removeIf(kind -> !kind.sparesProcesses());
    }
    this.mending =
        !choices.chance(300)
            ? FinalChecks.Mending.READS
            : choices.chance(500) ? FinalChecks.Mending.REPAIR_BY_ONE : FinalChecks.Mending.REPAIR;
    this.changesSchema = choices.chance(300);
    this.fleet = new Fleet(world);
    for (int i = 1; i <= settings.nodes(); i++) {
      fleet.add(world.add("n" + i, new PeerAddress("10.0.0." + i, 7000)));
    }
    this.programs = new Programs(world, manners);
    this.registers = StoreClient.Place.of(KEYSPACE, FAMILY).withTwin(setUp.hasTwin() ? TWIN : "");
    this.setPlace =
        StoreClient.Place.of(setUp.setsApart() ? OTHER_KEYSPACE : KEYSPACE, SETS)
            .withElementBytes(setUp.elementBytes());
    this.sessions =
        new RegisterSessions<>(world, name -> programs.named(name, registers), settings.load());
    this.sets =
        new SetSessions(
            world,
            name -> programs.named(name, setPlace),
            SET_LOAD.withExpiring(setUp.expiring()),
            fleet::members);
    this.truncation =
        new TruncationSession(world, programs, StoreClient.Place.of(KEYSPACE, TRUNCATED));
    this.rows =
        new RowSessions(world, programs, KEYSPACE, ROWS, false, ROW_OPERATIONS, fleet::members);
    this.singleRows =
        new RowSessions(
            world, programs, SINGLE_KEYSPACE, ROWS, true, ROW_OPERATIONS, fleet::members);
    this.chaos = new Chaos<>(world, kinds, 2);
  }

  private void started(CoreNode node) {
    tornTails += hasTornTail(node) ? 1 : 0;
  }

  /** Whether the commit log that a node found ended in the middle of a write. */
  static boolean hasTornTail(CoreNode node) {
    return node.core().engine().recoveryReport().contains("never completed");
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
    RunReport report = run.report();
    run.world.close();
    return report;
  }

  private void form() throws IOException {
    List<String> families = new ArrayList<>(List.of(FAMILY, SETS, ROWS));
    if (setUp.hasTwin()) {
      families.add(TWIN);
    }
    if (setUp.truncates()) {
      families.add(TRUNCATED);
    }
    fleet.form(KEYSPACE, settings.replicas(), families, setUp.fields());
    programs.sayWhoTheyAre(fleet);
    fleet.make(SINGLE_KEYSPACE, 1, List.of(ROWS), setUp.fields());
    if (setUp.setsApart()) {
      fleet.make(OTHER_KEYSPACE, settings.nodes(), List.of(SETS), setUp.fields());
    }
  }

  /** A failure with its last cause and where that came from. */
  static String words(Throwable failure) {
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

  private void load() {
    sessions.start();
    sets.start();
    rows.start();
    singleRows.start();
    chaos.start();
    if (setUp.truncates()) {
      truncation.next();
    }
    if (changesSchema) {
      world.advance(Duration.ofSeconds(2));
      newFamily();
    }
    Fleet.require(
        world.runUntil(
            () ->
                sessions.isDone()
                    && sets.isDone()
                    && rows.isDone()
                    && singleRows.isDone()
                    && (!setUp.truncates() || truncation.isDone()),
            LOAD_LIMIT),
        "clients wait for ever");
  }

  /** Makes a family while things go wrong; nodes that miss it have to fetch it later. */
  private void newFamily() {
    for (Machine<CoreNode> machine : world.machines()) {
      if (machine.node().map(Fleet::isServing).orElse(false)) {
        extra =
            fleet.call(
                machine,
                node -> node.core().schema().createFamily(FamilyDefinition.of(KEYSPACE, EXTRA)));
        return;
      }
    }
  }

  private void heal() throws IOException {
    Duration begin = world.age();
    chaos.heal();
    fleet.restartBroken();
    Fleet.require(
        fleet.becomesWhole(SETTLING), "the nodes do not find together again: " + fleet.views());
    settled = world.age().minus(begin);
    world.advance(Duration.ofSeconds(10));
    if (waitsForHints) {
      // Hints for nodes that never seemed to be away are found by the next scan, which takes a
      // while.
      Fleet.require(
          world.runUntil(this::isQuiet, HINTS_LIMIT),
          "an hour after all was healed there are hints left: " + hints());
    }
    drained = world.age().minus(begin);
    Fleet.Call<?> made = extra;
    if (made != null && made.succeeded()) {
      Fleet.require(
          world.runUntil(
              () -> fleet.up().stream().allMatch(node -> node.knows(KEYSPACE, EXTRA)), SETTLING),
          "a family was made, and not all nodes learn of it");
    }
  }

  /** No hints wait anywhere. */
  private boolean isQuiet() {
    return fleet.up().stream().allMatch(node -> node.core().clusterOperations().hints().isEmpty());
  }

  private List<String> hints() {
    return fleet.up().stream()
        .map(node -> node.core().clusterOperations().hints().toString())
        .toList();
  }

  private void check() throws SchemaException {
    FinalChecks look = new FinalChecks(fleet, programs, KEYSPACE, settings.replicas());
    FinalChecks setLook =
        setUp.setsApart()
            ? new FinalChecks(fleet, programs, OTHER_KEYSPACE, settings.nodes())
            : look;
    List<String> families = setUp.hasTwin() ? List.of(FAMILY, TWIN) : List.of(FAMILY);
    for (String family : families) {
      look.quorums(family, sessions.history());
    }
    setLook.quorums(SETS, sets);
    if (hintsAlone) {
      // No client has read the sets so far, and nothing was repaired.
      look.converged(FAMILY, sessions.history().keys());
      setLook.converged(SETS, sets.names());
    }
    boolean[] read = {false};
    sessions.readAll(
        world.machines().get(0), programs.patient("last reads", registers), () -> read[0] = true);
    Fleet.require(world.runUntil(() -> read[0], SETTLING), "the last reads hang");
    violations.addAll(sessions.history().violations());
    for (RowSessions each : List.of(rows, singleRows)) {
      HistoryCheck.violations(each.history())
          .forEach(violation -> violations.add(violation.toString()));
    }
    setLook.sets(sets.names(), sets.check(), setPlace);
    if (setUp.truncates()) {
      look.sets(truncation.names(), truncation.check(), StoreClient.Place.of(KEYSPACE, TRUNCATED));
      look.heal(mending, TRUNCATED, truncation.names());
      look.converged(TRUNCATED, truncation.names());
    }
    look.heal(mending, ROWS, rows.rows());
    look.converged(ROWS, rows.rows());
    setLook.heal(mending, SETS, sets.names());
    setLook.converged(SETS, sets.names());
    for (String family : families) {
      look.heal(mending, family, sessions.history().keys());
      look.converged(family, sessions.history().keys());
      look.aliens(family, sessions.history());
    }
    if (setUp.cleansUp()) {
      look.cleanUp(families);
      look.converged(FAMILY, sessions.history().keys());
    }
    look.stillness();
    violations.addAll(look.violations());
    if (setLook != look) {
      violations.addAll(setLook.violations());
    }
  }

  /** Writes that were refused, or whose outcome is unknown. */
  static long unacknowledged(RegisterHistory history) {
    return history.keys().stream().mapToLong(key -> history.writes(key).size()).sum()
        - history.acknowledged();
  }

  /** What should happen now and then in any run, and how often it did. */
  static Map<String, Long> seen(World<CoreNode> world) {
    NetworkFigures network = world.network().figures();
    long mismatches = 0;
    for (Machine<CoreNode> machine : world.machines()) {
      mismatches +=
          machine.node().map(node -> node.core().coordinator().figures().mismatches()).orElse(0L);
    }
    Map<String, Long> seen = new TreeMap<>();
    seen.put("message lost", network.lost());
    seen.put("message cut off", network.cut());
    seen.put("message doubled", network.doubled());
    seen.put("connection refused", network.refused());
    seen.put("hint delivered", world.network().asked(Verb.HINT));
    seen.put("digest mismatch", mismatches);
    seen.put("stale replica mended", world.network().asked(Verb.READ_REPAIR));
    seen.put("schema fetched", world.network().asked(Verb.SCHEMA_PULL));
    seen.put("rows streamed", world.network().asked(Verb.STREAM_CHUNK));
    return seen;
  }

  private RunReport report() {
    long unacknowledged = unacknowledged(sessions.history());
    Map<String, Long> sometimes = seen(world);
    sometimes.put("hints waited for minutes", drained.toMinutes());
    sometimes.put("equal by hints alone", hintsAlone ? world.network().asked(Verb.HINT) : 0L);
    sometimes.put("write unknown or refused", unacknowledged);
    sometimes.put("torn tail", tornTails);
    sometimes.put(
        "node started again",
        world.machines().stream().mapToLong(Machine::boots).sum() - settings.nodes());
    sometimes.put("replicas repaired", mending.isRepair() ? 1L : 0L);
    sometimes.put(
        "replicas repaired by one", mending == FinalChecks.Mending.REPAIR_BY_ONE ? 1L : 0L);
    sometimes.put("family truncated", (long) truncation.truncations());
    sometimes.put("two keyspaces", setUp.setsApart() ? 1L : 0L);
    sometimes.putAll(setUp.seen());
    sometimes.putAll(programs.seen());
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
