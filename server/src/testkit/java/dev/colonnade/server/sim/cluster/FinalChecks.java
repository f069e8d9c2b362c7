package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.history.ConvergenceCheck;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.QuorumCheck;
import dev.colonnade.server.history.RegisterHistory;
import dev.colonnade.server.history.SetCheck;
import dev.colonnade.server.history.UnknownValueCheck;
import dev.colonnade.server.node.CallsUnderWay;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.sim.World;
import dev.colonnade.v1.ConsistencyLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What is looked at when all is healed and the cluster is whole again. */
final class FinalChecks {

  /** How replicas are made equal. */
  enum Mending {
    /** Every row is read at ALL. */
    READS,
    /** Every node repairs what it has. */
    REPAIR,
    /** One node repairs what it has, and all replicas of that must be equal; then the others do. */
    REPAIR_BY_ONE;

    boolean isRepair() {
      return this != READS;
    }
  }

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration REPAIR_LIMIT = Duration.ofMinutes(30);
  private static final Duration STILLNESS_LIMIT = Duration.ofMinutes(5);

  private final Fleet fleet;
  private final Programs programs;
  private final World<CoreNode> world;
  private final String keyspace;
  private final int replicas;
  private final List<String> violations = new ArrayList<>();

  FinalChecks(Fleet fleet, Programs programs, String keyspace, int replicas) {
    this.fleet = fleet;
    this.programs = programs;
    this.world = fleet.world();
    this.keyspace = keyspace;
    this.replicas = replicas;
  }

  /** What was wrong so far. */
  List<String> violations() {
    return violations;
  }

  /** Makes replicas of rows equal. */
  void heal(Mending how, String family, Collection<String> rows) throws SchemaException {
    if (how == Mending.READS) {
      readAtAll(family, rows);
      return;
    }
    if (how == Mending.REPAIR_BY_ONE) {
      Machine<CoreNode> one = fleet.members().get(fleet.members().size() - 1);
      repair(one, List.of(family));
      List<String> owned = rows.stream().filter(row -> owns(one, row)).toList();
      ask(family, owned, new QuorumCheck())
          .differences()
          .forEach(difference -> violations.add("after " + one + " repaired: " + difference));
    }
    repair(List.of(family));
  }

  private boolean owns(Machine<CoreNode> machine, String row) {
    CoreNode node = machine.node().orElseThrow();
    Topology topology = node.core().cluster().topology();
    Keyspace known = node.core().schema().current().keyspace(keyspace).orElseThrow();
    return topology
        .replicas(ReplicaPlacement.of(known, topology.self()), node.rowKey(row).token())
        .stream()
        .anyMatch(replica -> replica.address().equals(machine.address().host()));
  }

  private void readAtAll(String family, Collection<String> rows) {
    StoreClient atAll =
        programs.patient(
            "at all",
            StoreClient.Place.of(keyspace, family).at(ConsistencyLevel.CONSISTENCY_LEVEL_ALL));
    List<Machine<CoreNode>> members = fleet.members();
    int next = 0;
    for (String row : rows) {
      await(atAll.elements(members.get(next++ % members.size()), row), row + " at ALL");
    }
  }

  /** What a call is answered; a violation if it fails. */
  private <T> Optional<T> await(CompletableFuture<T> call, String what) {
    Fleet.require(world.runUntil(call::isDone, PATIENCE), "a read of " + what + " hangs");
    return call.handle(
            (value, failure) -> {
              if (failure != null) {
                violations.add("all is well, but " + what + " cannot be read: " + failure);
              }
              return Optional.ofNullable(value);
            })
        .join();
  }

  /** Each node repairs these families, one after another. */
  void repair(List<String> families) {
    for (Machine<CoreNode> machine : fleet.members()) {
      repair(machine, families);
    }
  }

  private void repair(Machine<CoreNode> machine, List<String> families) {
    Fleet.Call<RepairProgress> call =
        fleet.call(
            machine,
            node ->
                node.core()
                    .repairs()
                    .repair(known(node, families), Optional.empty(), false, progress -> {}));
    Fleet.require(
        world.runUntil(call::isOver, REPAIR_LIMIT), "the repair of " + machine + " hangs");
    RepairProgress done = call.value();
    if (done == null) {
      violations.add("all is well, but " + machine + " cannot repair: " + call.failure());
    } else if (done.skippedReplicas() > 0) {
      violations.add("all are up, but the repair of " + machine + " left some out: " + done);
    }
  }

  /** Each node leaves out what it does not own, after which it holds nothing else. */
  void cleanUp(List<String> families) {
    for (Machine<CoreNode> machine : fleet.members()) {
      Fleet.Call<?> call =
          fleet.call(machine, node -> node.core().cleanUp(known(node, families), progress -> {}));
      Fleet.require(
          world.runUntil(call::isOver, REPAIR_LIMIT), "the cleanup of " + machine + " hangs");
      if (!call.succeeded()) {
        violations.add("all is well, but " + machine + " cannot clean up: " + call.failure());
      }
    }
    for (String family : families) {
      for (HeldRows.Held held : new HeldRows(fleet, keyspace, family).all()) {
        if (!held.owned()) {
          violations.add(held.node() + " was cleaned up and holds " + family + "/" + held.row());
        }
      }
    }
  }

  private List<ColumnFamily> known(CoreNode node, List<String> families) {
    List<ColumnFamily> known = new ArrayList<>();
    for (String family : families) {
      try {
        known.add(node.family(keyspace, family));
      } catch (SchemaException e) {
        throw new AssertionError(e);
      }
    }
    return known;
  }

  /** Whether each row is on as many replicas as it should, and the same on all. */
  void converged(String family, Collection<String> rows) throws SchemaException {
    ConvergenceCheck check = ask(family, rows, new QuorumCheck());
    violations.addAll(check.differences());
    violations.addAll(check.wrongReplicas(replicas));
  }

  private ConvergenceCheck ask(String family, Collection<String> rows, QuorumCheck quorums)
      throws SchemaException {
    ReplicaStates states =
        ReplicaStates.ask(world, fleet.members(), keyspace, family, rows, quorums);
    Fleet.require(world.runUntil(states::isComplete, PATIENCE), "a store does not answer");
    return states.check();
  }

  /** Whether a quorum has what was acknowledged. To be asked before anything is read or mended. */
  void quorums(String family, RegisterHistory history) throws SchemaException {
    QuorumCheck check = new QuorumCheck();
    for (String key : history.keys()) {
      for (RegisterHistory.Write write : history.writes(key)) {
        if (write.outcome() == Outcome.DONE) {
          check.acknowledged(key, CoreRegisters.COLUMN_NAME, write.version().timestamp());
        }
      }
    }
    quorums(family, history.keys(), check);
  }

  /** As for registers. */
  void quorums(String family, SetSessions sessions) throws SchemaException {
    quorums(family, sessions.names(), sessions.quorums());
  }

  private void quorums(String family, Collection<String> rows, QuorumCheck check)
      throws SchemaException {
    ask(family, rows, check);
    violations.addAll(check.violations(replicas / 2 + 1));
  }

  /** Whether sets hold what they must, as a read at QUORUM sees them. */
  void sets(List<String> names, SetCheck check, StoreClient.Place place) {
    StoreClient client = programs.patient("last reads of " + place.family(), place);
    List<String> found = new ArrayList<>();
    for (String set : names) {
      await(client.elements(fleet.members().get(0), set), set)
          .orElse(List.of())
          .forEach(element -> found.add(SetSessions.inSet(set, element)));
    }
    violations.addAll(check.violations(found));
  }

  /**
   * Checks that no node holds a value of a register that no client wrote; returns what nodes hold.
   */
  List<HeldRows.Held> aliens(String family, RegisterHistory history) {
    UnknownValueCheck check = new UnknownValueCheck();
    for (String key : history.keys()) {
      for (RegisterHistory.Write write : history.writes(key)) {
        String value = write.version().value();
        if (value != null) {
          check.written(
              key,
              HeldRows.text(
                  CoreRegisters.COLUMN_NAME,
                  programs.manners().stored(value),
                  write.version().timestamp()));
        }
      }
    }
    List<HeldRows.Held> held = new HeldRows(fleet, keyspace, family).all();
    HeldRows.tell(held, check);
    violations.addAll(check.violations());
    return held;
  }

  /** Whether all that nodes had begun ends: no calls, tasks, streams, claims. */
  void stillness() {
    if (!world.runUntil(this::isStill, STILLNESS_LIMIT)) {
      violations.add("no requests are left, but the nodes do not come to rest: " + unrest());
    }
  }

  private boolean isStill() {
    return fleet.members().stream().allMatch(machine -> unrest(machine).isEmpty());
  }

  private String unrest() {
    StringBuilder words = new StringBuilder();
    for (Machine<CoreNode> machine : fleet.members()) {
      words.append(machine).append(": ").append(unrest(machine)).append("; ");
    }
    return words.toString();
  }

  private static String unrest(Machine<CoreNode> machine) {
    CoreNode node = machine.node().orElseThrow();
    StringBuilder words = new StringBuilder();
    int calls = CallsUnderWay.of(node.core());
    if (calls > 0) {
      words.append(calls).append(" calls ");
    }
    SimScheduler scheduler = machine.scheduler().orElseThrow();
    scheduler.figures().stream()
        .filter(stage -> stage.active() + stage.pending() > 0)
        .forEach(stage -> words.append(stage).append(' '));
    // A flush, a merge or rows of another node: whatever failed has given back what it held.
    node.core().engine().claims().forEach(claim -> words.append(claim).append(' '));
    return words.toString();
  }
}
