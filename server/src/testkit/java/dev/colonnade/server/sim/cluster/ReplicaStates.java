package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.history.ConvergenceCheck;
import dev.colonnade.server.history.QuorumCheck;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.World;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.ReadResponse;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What each replica holds of rows, asked of each store by itself, deletions included. */
final class ReplicaStates {
  private static final Slice ALL = new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE);

  private final World<CoreNode> world;
  private final List<Machine<CoreNode>> machines;
  private final String keyspaceName;
  private final String familyName;
  private final ConvergenceCheck check = new ConvergenceCheck();
  private final QuorumCheck quorums;
  private int waiting;

  private ReplicaStates(
      World<CoreNode> world,
      List<Machine<CoreNode>> machines,
      String keyspace,
      String family,
      QuorumCheck quorums) {
    this.quorums = quorums;
    this.world = world;
    this.machines = machines;
    this.keyspaceName = keyspace;
    this.familyName = family;
  }

  /** Begins to ask; all nodes must be up. */
  static ReplicaStates ask(
      World<CoreNode> world, String keyspace, String family, Collection<String> keys)
      throws SchemaException {
    return ask(world, world.machines(), keyspace, family, keys, new QuorumCheck());
  }

  /** Begins to ask these machines, whose nodes must be up, and tells {@code quorums}, too. */
  static ReplicaStates ask(
      World<CoreNode> world,
      List<Machine<CoreNode>> machines,
      String keyspace,
      String family,
      Collection<String> keys,
      QuorumCheck quorums)
      throws SchemaException {
    ReplicaStates states = new ReplicaStates(world, machines, keyspace, family, quorums);
    for (String key : keys) {
      states.ask(key);
    }
    return states;
  }

  boolean isComplete() {
    return waiting == 0;
  }

  ConvergenceCheck check() {
    return check;
  }

  private void ask(String key) throws SchemaException {
    CoreNode any = machines.get(0).node().orElseThrow();
    RowKey row = any.rowKey(key);
    Topology topology = any.core().cluster().topology();
    Keyspace keyspace = any.core().schema().current().keyspace(keyspaceName).orElseThrow();
    List<RingNode> replicas =
        topology.replicas(ReplicaPlacement.of(keyspace, topology.self()), row.token());
    for (Machine<CoreNode> machine : machines) {
      for (RingNode replica : replicas) {
        if (replica.address().equals(machine.address().host())) {
          ask(key, row, machine);
        }
      }
    }
  }

  private void ask(String key, RowKey row, Machine<CoreNode> machine) {
    waiting++;
    machine.<ReadResponse<RowFragment>>call(
        node -> {
          try {
            ColumnFamily family = node.family(keyspaceName, familyName);
            return node.core()
                .engine()
                .read(
                    family.id(),
                    new SliceCommand(
                        row, ALL, Optional.empty(), 8 << 20, world.clock().wallSeconds()),
                    ReadOutput.ROW_FRAGMENT);
          } catch (SchemaException e) {
            throw new AssertionError(e);
          }
        },
        (read, failure) -> {
          if (read == null) {
            throw new AssertionError(machine + " cannot be asked for " + key, failure);
          }
          waiting--;
          RowUpdate atoms = read.result().atoms();
          check.add(key, machine.name(), text(atoms));
          for (Cell cell : atoms.cells()) {
            quorums.held(key, machine.name(), name(cell), cell.timestamp());
          }
        });
  }

  private static Map<String, String> text(RowUpdate atoms) {
    Map<String, String> cells = new TreeMap<>();
    if (!atoms.rowDeletion().isNone()) {
      cells.put("row", atoms.rowDeletion().toString());
    }
    atoms.ranges().forEach(range -> cells.put("range " + range, "deleted"));
    for (Cell cell : atoms.cells()) {
      cells.put(
          name(cell),
          cell.kind()
              + " "
              + new String(cell.value(), StandardCharsets.UTF_8)
              + " @"
              + cell.timestamp());
    }
    return cells;
  }

  private static String name(Cell cell) {
    String sub = cell.sub() == null ? "" : "/" + new String(cell.name(), StandardCharsets.UTF_8);
    return new String(cell.top(), StandardCharsets.UTF_8) + sub;
  }
}
