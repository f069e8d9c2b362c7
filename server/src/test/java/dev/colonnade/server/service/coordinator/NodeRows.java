package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;

/**
 * Rows of text, as a test reads and writes them at one node: through its coordinator, or in its own
 * store alone.
 */
abstract class NodeRows {

  private final SimulatedCluster cluster;
  private CompletableFuture<?> lastRead = new CompletableFuture<>();

  NodeRows(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  /** The node's own store. */
  abstract StorageEngine engine();

  /** Coordinates reads and writes at this node. */
  abstract Coordinator coordinator();

  /** Writes one column, with a deadline in a second. */
  public CompletableFuture<AskedReplicas> put(
      ColumnFamily family, String key, String column, String value, Consistency level) {
    return coordinator()
        .write(
            List.of(cluster.mutation(family, key, column, value)), true, level, cluster.deadline());
  }

  /** A row as this node's own store has it. */
  public CompletableFuture<String> stored(ColumnFamily family, String key) {
    SliceCommand query =
        new SliceCommand(
            cluster.key(key),
            SimulatedCluster.WHOLE,
            Optional.empty(),
            1 << 20,
            cluster.clock().wallSeconds());
    return engine()
        .read(family.id(), query, ListedPages.ROW)
        .thenApply(read -> Render.cells(read.result().cells()));
  }

  /** Writes one column to this node's store alone. */
  public CompletableFuture<Void> putHere(
      ColumnFamily family, String key, String column, String value) {
    return writeHere(cluster.mutation(family, key, column, value));
  }

  /** Deletes one column in this node's store alone. */
  CompletableFuture<Void> deleteHere(ColumnFamily family, String key, String column) {
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(
                Cell.deleted(
                    SimulatedCluster.bytes(column),
                    null,
                    new DeletionTime(cluster.clock().wallMicros(), cluster.clock().wallSeconds())))
            .build();
    return writeHere(
        new RowMutation(cluster.key(key), List.of(new RowMutation.FamilyUpdate(family, update))));
  }

  private CompletableFuture<Void> writeHere(RowMutation mutation) {
    // Later writes are newer, also where nothing else lets time pass.
    cluster.clock().advance(Duration.ofNanos(1_000));
    RowMutation.FamilyUpdate update = mutation.updates().get(0);
    return engine()
        .write(
            new Mutation(
                mutation.key(),
                List.of(new Mutation.FamilyMutation(update.family().id(), update.update())),
                cluster.clock().wallSeconds()),
            true);
  }

  /** Reads a row of text. */
  public CompletableFuture<String> get(ColumnFamily family, String key, Consistency level) {
    return page(family, key, SimulatedCluster.WHOLE, 1 << 20, level);
  }

  /** Reads one page. */
  CompletableFuture<String> page(
      ColumnFamily family, String key, Slice slice, int bytes, Consistency level) {
    return read(family, key, slice, Optional.empty(), bytes, level)
        .thenApply(page -> Render.cells(page.cells()));
  }

  private CompletableFuture<SlicePage> read(
      ColumnFamily family,
      String key,
      Slice slice,
      Optional<SlicePosition> from,
      int bytes,
      Consistency level) {
    CompletableFuture<SlicePage> read =
        coordinator()
            .read(
                new SliceRead(
                    family,
                    cluster.key(key),
                    slice,
                    from,
                    bytes,
                    level,
                    cluster.deadline(),
                    PageSink.LISTS));
    lastRead = read;
    return read;
  }

  /** Reads a row page by page. */
  String pages(ColumnFamily family, String key, int bytes, Consistency level) {
    StringJoiner pages = new StringJoiner(" ");
    Optional<SlicePosition> from = Optional.empty();
    do {
      SlicePage page = cluster.await(read(family, key, SimulatedCluster.WHOLE, from, bytes, level));
      pages.add(Render.cells(page.cells()));
      from = page.next();
    } while (from.isPresent());
    return pages.toString();
  }

  CompletableFuture<Long> count(ColumnFamily family, String key, Consistency level) {
    return coordinator()
        .read(
            SliceRead.count(
                family, cluster.key(key), SimulatedCluster.WHOLE, level, cluster.deadline()))
        .thenApply(SlicePage::counted);
  }

  CompletableFuture<?> lastRead() {
    return lastRead;
  }
}
