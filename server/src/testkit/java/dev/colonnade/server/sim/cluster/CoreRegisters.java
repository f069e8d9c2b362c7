package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Registers as one column in a row each, read and written at some level by what coordinates on a
 * node, without a call.
 */
public final class CoreRegisters {
  /** Of the one column of a register. */
  static final String COLUMN_NAME = "c";

  private static final byte[] COLUMN = COLUMN_NAME.getBytes(StandardCharsets.UTF_8);

  private final String keyspace;
  private final String family;
  private final Consistency level;
  private final Duration deadline;

  /** Clients that always use this level, and give calls so long. */
  public CoreRegisters(String keyspace, String family, Consistency level, Duration deadline) {
    this.keyspace = keyspace;
    this.family = family;
    this.level = level;
    this.deadline = deadline;
  }

  /** Writes a value, or a deletion, on a node. */
  public CompletableFuture<Void> write(CoreNode node, String key, Version version) {
    ColumnFamily target = node.familyIfServing(keyspace, family);
    if (target == null) {
      return notReady();
    }
    // The deletion's time is the same on all replicas: it is the client's, as the timestamp.
    long nowSeconds = Math.floorDiv(version.timestamp(), 1_000_000L);
    String value = version.value();
    RowUpdate update =
        RowUpdate.builder(target.order())
            .add(
                value == null
                    ? Cell.deleted(COLUMN, null, new DeletionTime(version.timestamp(), nowSeconds))
                    : Cell.live(
                        COLUMN, null, value.getBytes(StandardCharsets.UTF_8), version.timestamp()))
            .build();
    List<RowMutation.FamilyUpdate> updates = List.of(new RowMutation.FamilyUpdate(target, update));
    return node.core()
        .coordinator()
        .write(
            List.of(new RowMutation(node.rowKey(key), updates)), true, level, deadlineNanos(node))
        .thenAccept(asked -> {});
  }

  /** Reads a value on a node; empty if there is none, or no more. */
  public CompletableFuture<Optional<Version>> read(CoreNode node, String key) {
    ColumnFamily target = node.familyIfServing(keyspace, family);
    if (target == null) {
      return notReady();
    }
    return node.core()
        .coordinator()
        .read(
            new SliceRead(
                target,
                node.rowKey(key),
                new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                Optional.empty(),
                1 << 20,
                level,
                deadlineNanos(node),
                PageSink.LISTS))
        .thenApply(CoreRegisters::version);
  }

  private static Optional<Version> version(SlicePage page) {
    return page.cells().stream()
        .findFirst()
        .map(
            cell ->
                new Version(cell.timestamp(), new String(cell.value(), StandardCharsets.UTF_8)));
  }

  private long deadlineNanos(CoreNode node) {
    return node.clock().monotonicNanos() + deadline.toNanos();
  }

  private static <T> CompletableFuture<T> notReady() {
    return CompletableFuture.failedFuture(new NotReady());
  }

  /** The node has not started, or does not know the family yet. */
  static final class NotReady extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotReady() {
      super("not ready");
    }
  }
}
