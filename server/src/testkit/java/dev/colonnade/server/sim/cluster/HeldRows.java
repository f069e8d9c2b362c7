package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.history.UnknownValueCheck;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.storage.engine.ReadResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** All rows of a family in each node's own store, whether the node owns them or not. */
final class HeldRows {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int ROWS_MAX = 100_000;
  private static final long PAGE_BYTES = 64L << 20;

  private final Fleet fleet;
  private final String keyspaceName;
  private final String familyName;

  /**
   * A row on a node.
   *
   * @param owned whether the node is one of the row's replicas
   * @param live cells that are not deleted, as text: name, value, and time
   */
  record Held(String node, String row, boolean owned, List<String> live) {}

  HeldRows(Fleet fleet, String keyspace, String family) {
    this.fleet = fleet;
    this.keyspaceName = keyspace;
    this.familyName = family;
  }

  /** Asks all nodes, which must be up. */
  List<Held> all() {
    List<Held> held = new ArrayList<>();
    for (Machine<CoreNode> machine : fleet.members()) {
      Fleet.Call<RangeRows> call = fleet.call(machine, this::scan);
      Fleet.require(
          fleet.world().runUntil(call::isOver, PATIENCE), "the scan of " + machine + " hangs");
      RangeRows rows = call.value();
      if (rows == null || rows.next().isPresent()) {
        throw new AssertionError(machine + " cannot be scanned: " + call.failure());
      }
      for (RowCells row : rows.rows()) {
        held.add(
            new Held(
                machine.name(),
                new String(row.key().key(), StandardCharsets.UTF_8),
                owns(machine, row.key()),
                row.cells().stream().map(HeldRows::text).toList()));
      }
    }
    return held;
  }

  /** Tells a check of all live cells. */
  static void tell(List<Held> all, UnknownValueCheck check) {
    all.forEach(held -> held.live().forEach(cell -> check.held(held.node(), held.row(), cell)));
  }

  static String text(String name, String value, long timestamp) {
    return name + " = '" + value + "' @" + timestamp;
  }

  private static String text(Cell cell) {
    return text(
        new String(cell.top(), StandardCharsets.UTF_8),
        new String(cell.value(), StandardCharsets.UTF_8),
        cell.timestamp());
  }

  private CompletableFuture<RangeRows> scan(CoreNode node) {
    try {
      ColumnFamily family = node.family(keyspaceName, familyName);
      RangeCommand everything =
          new RangeCommand(
              RowKey.firstOf(new byte[0]),
              Optional.empty(),
              Optional.empty(),
              false,
              new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
              ROWS_MAX,
              true,
              false,
              PAGE_BYTES,
              fleet.world().clock().wallSeconds());
      return node.core()
          .engine()
          .read(family.id(), everything, ListedPages.RANGE)
          .thenApply(ReadResponse::result);
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  private boolean owns(Machine<CoreNode> machine, RowKey row) {
    CoreNode node = machine.node().orElseThrow();
    Topology topology = node.core().cluster().topology();
    Keyspace keyspace = node.core().schema().current().keyspace(keyspaceName).orElseThrow();
    return topology.replicas(ReplicaPlacement.of(keyspace, topology.self()), row.token()).stream()
        .anyMatch(replica -> replica.address().equals(machine.address().host()));
  }
}
