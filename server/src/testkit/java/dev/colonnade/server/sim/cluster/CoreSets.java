package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sets of text, each a row with a column for each element.
 *
 * @param deadline how long a call may take
 * @param elementBytes how long the value of an element is
 */
record CoreSets(
    String keyspace, String family, Consistency level, Duration deadline, int elementBytes) {

  private static final int PAGE_BYTES = 8 << 20;

  /** With values that take no room. */
  CoreSets(String keyspace, String family, Consistency level, Duration deadline) {
    this(keyspace, family, level, deadline, 0);
  }

  CompletableFuture<Void> add(CoreNode node, String set, String element, long timestamp) {
    return change(node, set, Cell.live(bytes(element), null, value(element), timestamp));
  }

  /** Adds an element that expires a number of seconds after the time of its timestamp. */
  CompletableFuture<Void> add(
      CoreNode node, String set, String element, long timestamp, int ttlSeconds) {
    return change(
        node,
        set,
        Cell.expiring(
            bytes(element),
            null,
            value(element),
            timestamp,
            ttlSeconds,
            seconds(timestamp) + ttlSeconds));
  }

  /** Values differ, and are equally long. */
  private byte[] value(String element) {
    byte[] value = new byte[elementBytes];
    if (elementBytes > 0) {
      Arrays.fill(value, (byte) element.hashCode());
    }
    return value;
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
            List.of(new RowMutation(node.rowKey(set), List.of(part))),
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
                node.rowKey(set),
                new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                Optional.empty(),
                PAGE_BYTES,
                level,
                node.clock().monotonicNanos() + deadline.toNanos(),
                PageSink.LISTS))
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
