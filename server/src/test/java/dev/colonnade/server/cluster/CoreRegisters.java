package dev.colonnade.server.cluster;

import dev.colonnade.server.coordinator.Consistency;
import dev.colonnade.server.coordinator.CoordinationException;
import dev.colonnade.server.coordinator.RowMutation;
import dev.colonnade.server.coordinator.SlicePage;
import dev.colonnade.server.coordinator.SliceRead;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.schema.ColumnFamily;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Registers as one column in a row each, read and written at some level. */
public final class CoreRegisters implements Registers<CoreNode> {
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

  @Override
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
    return node.core()
        .coordinator()
        .write(
            List.of(
                new RowMutation(
                    CoreNode.key(key), List.of(new RowMutation.FamilyUpdate(target, update)))),
            true,
            level,
            deadlineNanos(node))
        .thenAccept(asked -> {});
  }

  @Override
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
                CoreNode.key(key),
                new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                Optional.empty(),
                1 << 20,
                level,
                deadlineNanos(node)))
        .thenApply(CoreRegisters::version);
  }

  private static Optional<Version> version(SlicePage page) {
    return page.cells().stream()
        .findFirst()
        .map(
            cell ->
                new Version(cell.timestamp(), new String(cell.value(), StandardCharsets.UTF_8)));
  }

  @Override
  public Outcome outcome(Throwable failure) {
    return failure instanceof CoordinationException.NotEnoughReplicas || failure instanceof NotReady
        ? Outcome.REFUSED
        : Outcome.UNKNOWN;
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
