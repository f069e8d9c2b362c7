package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.World;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One run of a cluster whose members change while clients write and read registers and sets at
 * QUORUM and things go wrong; then all is healed, and clients, ring and stores are checked.
 */
final class MembershipRun {

  private static final String KEYSPACE = "K";
  private static final String REGISTERS = "F";
  private static final String SETS = "S";
  private static final String TWIN = "W";

  private static final Duration CALL_LIMIT = Duration.ofSeconds(4);
  private static final Duration ENDING = Duration.ofMinutes(2);
  private static final Duration SETTLING = Duration.ofMinutes(5);

  /** Changes take half a minute; where they would always be disturbed, none is made. */
  private static final Duration CHAOS_PAUSE = Duration.ofSeconds(6);

  private static final RegisterSessions.Load LOAD =
      new RegisterSessions.Load(
          6, 12, 5_000, Duration.ofSeconds(6), 450, 60, Duration.ofSeconds(2));
  private static final SetSessions.Load SET_LOAD =
      new SetSessions.Load(4, 4, 5_000, Duration.ofSeconds(6), 250, Duration.ofSeconds(2));

  private final DataRun.Settings settings;
  private final CoreNode.Plan plan;
  private final World<CoreNode> world;
  private final Set<FaultKind> kinds;
  private final Fleet fleet;
  private final RegisterSessions<CoreNode> registers;
  private final SetUp setUp;
  private final Programs programs;
  private final StoreClient.Place place;
  private final StoreClient.Place setPlace;
  private final SetSessions sets;
  private final Chaos<CoreNode> chaos;
  private final RingDrill drill;
  private final List<String> violations = new ArrayList<>();
  private final Rng rng;
  private Duration settled = Duration.ZERO;
  private long tornTails;

  private MembershipRun(long seed, DataRun.Settings settings) {
    this.settings = settings;
    this.setUp = SetUp.drawn(seed);
    Manners manners = Manners.drawn(seed, CALL_LIMIT);
    this.plan =
        new CoreNode.Plan(
            SimulatedStore.TINY,
            manners.settings().with(ClusterSettings.AUTO_BOOTSTRAP, true),
            setUp.tokens(settings.nodes()),
            new TreeMap<>(),
            settings.coordination(),
            MembershipSettings.DEFAULT,
            setUp.partitioner(),
            this::seeds);
    this.world =
        new World<>(
            seed,
            World.Settings.DEFAULT.keeping(settings.keptEntries()),
            CoreNode.factory(plan, this::started));
    this.rng = new Rng(world.random("membership"));
    this.kinds = FaultKind.chosen(world, settings.allowed());
    this.fleet = new Fleet(world);
    for (int i = 1; i <= settings.nodes(); i++) {
      fleet.add(world.add("n" + i, new PeerAddress("10.0.0." + i, 7000)));
    }
    this.programs = new Programs(world, manners);
    this.place = StoreClient.Place.of(KEYSPACE, REGISTERS).withTwin(setUp.hasTwin() ? TWIN : "");
    this.setPlace = StoreClient.Place.of(KEYSPACE, SETS).withElementBytes(setUp.elementBytes());
    this.registers =
        new RegisterSessions<>(world, name -> programs.named(name, place), LOAD, fleet::members);
    this.sets =
        new SetSessions(
            world,
            name -> programs.named(name, setPlace),
            SET_LOAD.withExpiring(setUp.expiring()),
            fleet::members);
    this.chaos = new Chaos<>(world, kinds, 1, CHAOS_PAUSE);
    this.drill = new RingDrill(fleet, chaos, plan, setUp);
  }

  /** A node that left or died for good is no longer a seed. */
  private List<String> seeds() {
    return fleet.members().stream().limit(3).map(member -> member.address().host()).toList();
  }

  private void started(CoreNode node) {
    tornTails += DataRun.hasTornTail(node) ? 1 : 0;
  }

  /** Runs a seed. */
  static RunReport of(long seed, DataRun.Settings settings) {
    MembershipRun run = new MembershipRun(seed, settings);
    try {
      List<String> families = new ArrayList<>(run.registerFamilies());
      families.add(SETS);
      run.fleet.form(KEYSPACE, settings.replicas(), families, run.setUp.fields());
      run.programs.sayWhoTheyAre(run.fleet);
      run.load();
      run.heal();
      run.check();
    } catch (AssertionError | SchemaException | IOException e) {
      run.violations.add(DataRun.words(e));
    }
    run.world
        .failures()
        .forEach(failure -> run.violations.add("thrown: " + DataRun.words(failure)));
    RunReport report = run.report();
    run.world.close();
    return report;
  }

  private List<String> registerFamilies() {
    return setUp.hasTwin() ? List.of(REGISTERS, TWIN) : List.of(REGISTERS);
  }

  private void load() throws IOException {
    registers.start();
    sets.start();
    chaos.start();
    int changes = rng.between(1, 3);
    for (int i = 0; i < changes; i++) {
      world.advance(rng.millis(0, 8_000));
      drill.change();
    }
    world.advance(rng.millis(0, 5_000));
    registers.stop();
    sets.stop();
    Fleet.require(
        world.runUntil(() -> registers.isDone() && sets.isDone(), ENDING), "clients wait for ever");
  }

  private void heal() throws IOException {
    Duration begin = world.age();
    chaos.heal();
    // A node whose log failed is up for the others, and refuses writes until it is restarted.
    fleet.restartBroken();
    Fleet.require(
        fleet.becomesWhole(SETTLING), "the nodes do not find together again: " + fleet.views());
    settled = world.age().minus(begin);
    world.advance(Duration.ofSeconds(10));
  }

  private void check() throws SchemaException {
    FinalChecks look = new FinalChecks(fleet, programs, KEYSPACE, settings.replicas());
    for (String family : registerFamilies()) {
      look.quorums(family, registers.history());
    }
    look.quorums(SETS, sets);
    boolean[] read = {false};
    registers.readAll(
        fleet.members().get(0), programs.patient("last reads", place), () -> read[0] = true);
    Fleet.require(world.runUntil(() -> read[0], ENDING), "the last reads hang");
    violations.addAll(registers.history().violations());
    look.sets(sets.names(), sets.check(), setPlace);
    FinalChecks.Mending how =
        rng.chance(500)
            ? FinalChecks.Mending.READS
            : rng.chance(500) ? FinalChecks.Mending.REPAIR_BY_ONE : FinalChecks.Mending.REPAIR;
    look.heal(how, SETS, sets.names());
    look.converged(SETS, sets.names());
    for (String family : registerFamilies()) {
      look.heal(how, family, registers.history().keys());
      look.converged(family, registers.history().keys());
      look.aliens(family, registers.history());
    }
    if (setUp.cleansUp()) {
      List<String> families = new ArrayList<>(registerFamilies());
      families.add(SETS);
      look.cleanUp(families);
      look.converged(REGISTERS, registers.history().keys());
      look.converged(SETS, sets.names());
    }
    look.stillness();
    violations.addAll(look.violations());
  }

  private RunReport report() {
    long unacknowledged = DataRun.unacknowledged(registers.history());
    Map<String, Long> sometimes = DataRun.seen(world);
    sometimes.put("torn tail", tornTails);
    sometimes.putAll(setUp.seen());
    sometimes.putAll(programs.seen());
    sometimes.put("write unknown or refused", unacknowledged);
    for (RingDrill.Kind kind : RingDrill.Kind.values()) {
      sometimes.put("done: " + kind.word(), (long) drill.done().getOrDefault(kind, 0));
    }
    for (String what : RingDrill.SOMETIMES) {
      sometimes.put(what, drill.seen().getOrDefault(what, 0L));
    }
    return new RunReport(
        world.seed(),
        world.trace().hash(),
        world.events(),
        world.age(),
        kinds,
        chaos.done(),
        registers.history().acknowledged(),
        registers.history().answered(),
        unacknowledged,
        settled,
        sometimes,
        List.copyOf(violations),
        world.trace().latest());
  }
}
