package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.MembershipException.Reason;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.World;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes the members of a fleet, one change after another, as an operator does: asks for it, and
 * when it fails or the node dies on the way, asks again after a while. A node whose data is lost is
 * removed or replaced before the next change begins.
 */
final class RingDrill {

  /** What an operator does. */
  enum Kind {
    /** A new node joins. */
    BOOTSTRAP,
    /** A new node is killed while it joins, and started again. */
    INTERRUPTED_BOOTSTRAP,
    /** Two new nodes begin to join at about the same time. */
    TWO_BOOTSTRAPS,
    /** A node leaves. */
    DECOMMISSION,
    /** A node goes to another place of the ring. */
    MOVE,
    /** A node dies for good and is removed. */
    REMOVE,
    /** A node dies for good and another one takes its place. */
    REPLACE,
    /** A node loses its disk, is refused, and replaces itself. */
    WIPE;

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** What should happen on the way now and then. */
  static final List<String> SOMETIMES =
      List.of(
          "bootstrap interrupted",
          "bootstrap resumed",
          "join tried again",
          "overlapping join refused",
          "move tried again",
          "removal tried again",
          "wiped node refused");

  private static final int NODES_MIN = 4;
  private static final int NODES_MAX = 7;

  /** A change that takes longer has got stuck. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** So long a change goes on while things go wrong. */
  private static final Duration PEACE_AFTER = Duration.ofMinutes(3);

  /** How long a try of a change may take. */
  private static final Duration TRY_LIMIT = Duration.ofMinutes(4);

  private final Fleet fleet;
  private final World<CoreNode> world;
  private final Chaos<CoreNode> chaos;
  private final CoreNode.Plan plan;
  private final SetUp setUp;

  /** Rows where no node has been yet. */
  private final List<String> rowsLeft = new ArrayList<>(SetUp.OTHER_ROWS);

  private final Rng rng;
  private final Map<Kind, Integer> done = new EnumMap<>(Kind.class);
  private final Map<String, Long> seen = new TreeMap<>();
  private int machines;
  private long begunNanos;

  RingDrill(Fleet fleet, Chaos<CoreNode> chaos, CoreNode.Plan plan, SetUp setUp) {
    this.setUp = setUp;
    this.fleet = fleet;
    this.world = fleet.world();
    this.chaos = chaos;
    this.plan = plan;
    this.rng = new Rng(world.random("drill"));
    this.machines = fleet.members().size();
  }

  /** How often each change was made. */
  Map<Kind, Integer> done() {
    return done;
  }

  /** What happened on the way, and how often. */
  Map<String, Long> seen() {
    return seen;
  }

  /** Makes a change, unconditionally. */
  void change() throws IOException {
    List<Kind> possible = new ArrayList<>(List.of(Kind.MOVE, Kind.REPLACE, Kind.WIPE));
    if (fleet.members().size() < NODES_MAX) {
      possible.addAll(List.of(Kind.BOOTSTRAP, Kind.INTERRUPTED_BOOTSTRAP));
    }
    if (fleet.members().size() < NODES_MAX - 1) {
      possible.add(Kind.TWO_BOOTSTRAPS);
    }
    if (fleet.members().size() > NODES_MIN) {
      possible.addAll(List.of(Kind.DECOMMISSION, Kind.REMOVE));
    }
    change(rng.oneOf(possible));
  }

  void change(Kind kind) throws IOException {
    begunNanos = world.age().toNanos();
    world.note("the operator begins " + kind + " among " + fleet.members());
    switch (kind) {
      case BOOTSTRAP -> awaitJoined(begin());
      case INTERRUPTED_BOOTSTRAP -> interruptedBootstrap();
      case TWO_BOOTSTRAPS -> twoBootstraps();
      case DECOMMISSION -> decommission();
      case MOVE -> move();
      case REMOVE -> remove();
      case REPLACE -> replace();
      case WIPE -> wipe();
    }
    chaos.rest(false);
    done.merge(kind, 1, Integer::sum);
    world.note("the operator has done " + kind + ": " + fleet.members());
  }

  /** Between two tries of a change. One that is disturbed for long is then left in peace. */
  private void goOn(String otherwise) {
    Duration taken = world.age().minusNanos(begunNanos);
    if (taken.compareTo(PEACE_AFTER) > 0) {
      chaos.rest(true);
    }
    Fleet.require(taken.compareTo(PATIENCE) < 0, otherwise);
  }

  private void saw(String what) {
    seen.merge(what, 1L, Long::sum);
  }

  private Machine<CoreNode> newMachine() {
    int number = ++machines;
    return world.add("n" + number, new PeerAddress("10.0.0." + number, 7000));
  }

  private Machine<CoreNode> begin() {
    Machine<CoreNode> machine = newMachine();
    // Chaos starts it, now and whenever it has killed it.
    chaos.takeBack(machine);
    return machine;
  }

  private void awaitJoined(Machine<CoreNode> machine) throws IOException {
    while (!world.runUntil(() -> hasJoined(machine), rng.millis(5_000, 20_000))) {
      goOn(machine + " does not join: " + stateOf(machine) + "; " + fleet.views());
      if (machine.state() == Machine.State.RUNNING
          && machine.node().map(node -> isStuck(node)).orElse(false)) {
        Optional<MembershipException> refusal = refusalOf(machine);
        world.note("the operator starts " + machine + " again: " + stateOf(machine));
        saw("join tried again");
        machine.kill();
        refusal.ifPresent(why -> follow(machine, why));
        machine.start();
      }
    }
    fleet.add(machine);
  }

  /** Does what a refusal says is the way out. */
  private void follow(Machine<CoreNode> machine, MembershipException refusal) {
    if (refusal.reason() == Reason.PLACE_TAKEN && plan.replaced().containsKey(machine.name())) {
      plan.replaced().put(machine.name(), refusal.nodeId().orElseThrow());
    } else if (refusal.reason() == Reason.OTHER_CHANGE_STUCK) {
      String dead = refusal.nodeId().orElseThrow();
      Machine<CoreNode> operator = rng.oneOf(fleet.members());
      if (hasJoined(operator)) {
        Fleet.Call<Void> call =
            fleet.call(
                operator, node -> node.core().membership().remove(dead, false, progress -> {}));
        world.runUntil(call::isOver, TRY_LIMIT);
        world.note("the operator removes " + dead + ": " + call.succeeded());
      }
    }
  }

  private static Optional<MembershipException> refusalOf(Machine<CoreNode> machine) {
    return machine.node().flatMap(CoreNode::refusal);
  }

  private static boolean isRefused(Machine<CoreNode> machine, Reason... reasons) {
    return refusalOf(machine)
        .filter(refusal -> Arrays.asList(reasons).contains(refusal.reason()))
        .isPresent();
  }

  private static boolean isStuck(CoreNode node) {
    return node.hasFailed() || node.core().engine().failure().isPresent();
  }

  private static String stateOf(Machine<CoreNode> machine) {
    return machine.state() + machine.node().map(node -> " " + node.failedBecause()).orElse("");
  }

  private static boolean hasJoined(Machine<CoreNode> machine) {
    return machine.node().map(Fleet::isServing).orElse(false);
  }

  private void interruptedBootstrap() throws IOException {
    Machine<CoreNode> machine = begin();
    world.runUntil(
        () -> hasJoined(machine) || isSeen(machine, Topology.RingState.JOINING), TRY_LIMIT);
    world.advance(rng.millis(0, 15_000));
    if (machine.state() != Machine.State.DOWN && !hasJoined(machine)) {
      if (isSeen(machine, Topology.RingState.JOINING)) {
        saw("bootstrap interrupted");
      }
      if (rng.chance(500)) {
        machine.powerCut();
      } else {
        machine.kill();
      }
      world.advance(rng.millis(0, 40_000));
      chaos.takeBack(machine);
    }
    awaitJoined(machine);
    if (seen.containsKey("bootstrap interrupted")) {
      saw("bootstrap resumed");
    }
  }

  private boolean isSeen(Machine<CoreNode> machine, Topology.RingState state) {
    for (CoreNode node : fleet.up()) {
      if (Fleet.isServing(node)) {
        for (Topology.Place place : node.core().cluster().topology().places()) {
          if (place.state() == state && place.node().address().equals(machine.address().host())) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private void twoBootstraps() throws IOException {
    Machine<CoreNode> first = begin();
    world.advance(rng.millis(0, 20_000));
    Machine<CoreNode> second = begin();
    world.runUntil(() -> isDecided(first) && isDecided(second), TRY_LIMIT);
    for (Machine<CoreNode> machine : List.of(first, second)) {
      if (isRefused(machine, Reason.OTHER_CHANGE, Reason.OTHER_CHANGE_STUCK)) {
        saw("overlapping join refused");
      }
    }
    awaitJoined(first);
    awaitJoined(second);
  }

  private static boolean isDecided(Machine<CoreNode> machine) {
    return machine.node().map(node -> node.hasFailed() || node.isStarted()).orElse(false);
  }

  private void decommission() throws IOException {
    Machine<CoreNode> machine = rng.oneOf(fleet.members());
    while (true) {
      goOn(machine + " cannot leave: " + fleet.views());
      if (!awaitServing(machine)) {
        if (isRefused(machine, Reason.HAS_LEFT)) {
          saw("died while it left");
          break;
        }
        continue;
      }
      Fleet.Call<Void> call =
          fleet.call(machine, node -> node.core().membership().decommission(false, progress -> {}));
      world.runUntil(call::isOver, TRY_LIMIT);
      if (call.succeeded()) {
        break;
      }
      world.note(machine + " did not leave: " + call.failure());
      world.advance(rng.millis(1_000, 10_000));
    }
    String id = idOf(machine);
    retire(machine);
    if (isStillOnTheRing(machine)) {
      removeFromRing(machine, id);
    }
  }

  /** Whether, after a while, somebody still holds a machine to be on the ring. */
  private boolean isStillOnTheRing(Machine<CoreNode> machine) {
    return !world.runUntil(() -> isGone(machine), Duration.ofMinutes(1));
  }

  private boolean isGone(Machine<CoreNode> machine) {
    return fleet.up().stream()
        .filter(Fleet::isServing)
        .allMatch(
            node ->
                node.core().cluster().topology().places().stream()
                    .noneMatch(place -> place.node().address().equals(machine.address().host())));
  }

  /** It is never started again, and no check counts on it. */
  private void retire(Machine<CoreNode> machine) {
    chaos.leaveAlone(machine);
    fleet.drop(machine);
    if (machine.state() != Machine.State.DOWN) {
      machine.kill();
    }
  }

  /** Anywhere; where rows are in order, exactly where a row is. */
  private byte[] newToken() {
    return setUp.partitioner().preservesOrder() && !rowsLeft.isEmpty()
        ? setUp.token(rowsLeft.remove(rng.between(0, rowsLeft.size() - 1)))
        : setUp.partitioner().randomToken(world.random("token of " + machines + done));
  }

  private void move() throws IOException {
    Machine<CoreNode> machine = rng.oneOf(fleet.members());
    byte[] token = newToken();
    while (true) {
      goOn(machine + " cannot move: " + fleet.views());
      if (!awaitServing(machine)) {
        continue;
      }
      if (hasToken(machine, token)) {
        return;
      }
      Fleet.Call<Void> call =
          fleet.call(machine, node -> node.core().membership().move(token, progress -> {}));
      world.runUntil(call::isOver, TRY_LIMIT);
      if (call.succeeded()) {
        return;
      }
      world.note(machine + " did not move: " + call.failure());
      saw("move tried again");
      world.advance(rng.millis(1_000, 10_000));
    }
  }

  private static boolean hasToken(Machine<CoreNode> machine, byte[] token) {
    return machine.node().orElseThrow().core().cluster().topology().self().tokens().stream()
        .anyMatch(own -> Arrays.equals(own, token));
  }

  /** Waits until a node serves; false if it cannot. */
  private boolean awaitServing(Machine<CoreNode> machine) throws IOException {
    world.runUntil(
        () -> machine.node().map(node -> node.hasFailed() || node.isStarted()).orElse(false),
        TRY_LIMIT);
    if (hasJoined(machine) && !isStuck(machine.node().orElseThrow())) {
      return true;
    }
    if (isRefused(machine, Reason.HAS_LEFT)) {
      return false;
    }
    if (machine.state() == Machine.State.RUNNING) {
      machine.kill();
      machine.start();
    }
    world.advance(Duration.ofSeconds(1));
    return false;
  }

  private @Nullable Machine<CoreNode> victim() {
    // The data of one node only is lost at a time, and the others have what they should have.
    List<Machine<CoreNode>> candidates = new ArrayList<>();
    for (Machine<CoreNode> machine : fleet.members()) {
      if (hasJoined(machine)) {
        candidates.add(machine);
      }
    }
    return candidates.isEmpty() ? null : rng.oneOf(candidates);
  }

  private void remove() throws IOException {
    Machine<CoreNode> machine = victim();
    if (machine != null) {
      String id = idOf(machine);
      retire(machine);
      removeFromRing(machine, id);
    }
  }

  private static String idOf(Machine<CoreNode> machine) {
    return machine.node().map(node -> node.core().self().id()).orElse("");
  }

  private void removeFromRing(Machine<CoreNode> machine, String id) throws IOException {
    while (!isGone(machine)) {
      goOn(machine + " cannot be removed: " + fleet.views());
      world.advance(rng.millis(1_000, 15_000));
      Machine<CoreNode> operator = rng.oneOf(fleet.members());
      if (!hasJoined(operator)) {
        fleet.restartBroken();
        continue;
      }
      Fleet.Call<Void> call =
          fleet.call(operator, node -> node.core().membership().remove(id, false, progress -> {}));
      world.runUntil(call::isOver, TRY_LIMIT);
      if (call.succeeded()) {
        world.runUntil(() -> isGone(machine), Duration.ofMinutes(1));
      } else {
        world.note(machine + " was not removed: " + call.failure());
        saw("removal tried again");
      }
    }
  }

  private void replace() throws IOException {
    Machine<CoreNode> machine = victim();
    if (machine != null) {
      String id = idOf(machine);
      retire(machine);
      Machine<CoreNode> fresh = newMachine();
      plan.replaced().put(fresh.name(), id);
      world.advance(rng.millis(0, 20_000));
      chaos.takeBack(fresh);
      awaitJoined(fresh);
    }
  }

  private void wipe() throws IOException {
    Machine<CoreNode> machine = victim();
    if (machine == null) {
      return;
    }
    String id = idOf(machine);
    retire(machine);
    machine.wipe();
    plan.tokens().remove(machine.name());
    plan.replaced().remove(machine.name());
    world.advance(rng.millis(0, 20_000));
    machine.start();
    boolean refused =
        world.runUntil(() -> machine.node().map(node -> node.hasFailed()).orElse(false), TRY_LIMIT);
    String reason = stateOf(machine);
    Fleet.require(refused, machine + " lost its data and was let in as another one: " + reason);
    Optional<String> owner = refusalOf(machine).flatMap(MembershipException::nodeId);
    if (isRefused(machine, Reason.PLACE_TAKEN) && owner.equals(Optional.of(id))) {
      saw("wiped node refused");
    } else {
      // Its start can fail for other reasons while things go wrong.
      world.note("the start of the wiped node failed: " + reason);
    }
    machine.kill();
    plan.replaced().put(machine.name(), id);
    chaos.takeBack(machine);
    awaitJoined(machine);
  }
}
