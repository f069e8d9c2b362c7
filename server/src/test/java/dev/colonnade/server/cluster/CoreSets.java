package dev.colonnade.server.cluster;

import dev.colonnade.server.coordinator.Consistency;
import dev.colonnade.server.coordinator.RowMutation;
import dev.colonnade.server.coordinator.SliceRead;
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
import org.jspecify.annotations.Nullable;

/**
 * Sets of text, each a row with a column for each element.
 *
 * @param deadline how long a call may take
 */
record CoreSets(String keyspace, String family, Consistency level, Duration deadline) {

  private static final int PAGE_BYTES = 8 << 20;

  CompletableFuture<Void> add(CoreNode node, String set, String element, long timestamp) {
    return change(node, set, Cell.live(bytes(element), null, new byte[0], timestamp));
  }

  CompletableFuture<Void> remove(CoreNode node, String set, String element, long timestamp) {
    DeletionTime deletion = new DeletionTime(timestamp, seconds(timestamp));
    return change(node, set, Cell.deleted(bytes(element), null, deletion));
  }

  private CompletableFuture<Void> change(CoreNode node, String set, Cell cell) {
    ColumnFamily target = node.familyIfServing(keyspace, family);
    if (target == null) {
      return CompletableFuture.failedFuture(new CoreRegisters.NotReady());
    }
    RowUpdate update = RowUpdate.builder(target.order()).add(cell).build();
    RowMutation.FamilyUpdate part = new RowMutation.FamilyUpdate(target, update);
    return node.core()
        .coordinator()
        .write(
            List.of(new RowMutation(CoreNode.key(set), List.of(part))),
            true,
            level,
            node.clock().monotonicNanos() + deadline.toNanos())
        .thenAccept(asked -> {});
  }

  /** All elements of a set. */
  CompletableFuture<List<String>> read(CoreNode node, String set) {
    @Nullable ColumnFamily target = node.familyIfServing(keyspace, family);
    if (target == null) {
      return CompletableFuture.failedFuture(new CoreRegisters.NotReady());
    }
    return node.core()
        .coordinator()
        .read(
            new SliceRead(
                target,
                CoreNode.key(set),
                new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                Optional.empty(),
                PAGE_BYTES,
                level,
                node.clock().monotonicNanos() + deadline.toNanos()))
        .thenApply(
            page ->
                page.cells().stream()
                    .map(cell -> new String(cell.top(), StandardCharsets.UTF_8))
                    .toList());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static long seconds(long timestamp) {
    return Math.floorDiv(timestamp, 1_000_000L);
  }
}
