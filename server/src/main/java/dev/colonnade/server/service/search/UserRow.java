package dev.colonnade.server.service.search;

import dev.colonnade.server.base.async.AsyncLoop;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A user's row of an index, as one call reads it. Reads of a call follow one another, so it is for
 * one thread at a time.
 */
public final class UserRow {

  /** How many bytes a read brings at once: two blocks of a data file, as they are by default. */
  private static final int PAGE_BYTES = 128 << 10;

  /** Fewer names than this are read one by one. */
  private static final int MIN_SCANNED = 4;

  private final RowStore rows;
  private final ColumnFamily family;
  private final RowKey key;
  private final Consistency consistency;
  private final LongSupplier deadlineNanos;
  private CallCost cost = CallCost.NONE;

  /**
   * Creates the row as a call reads it.
   *
   * @param consistency the level of its reads
   * @param deadlineNanos the deadline of each read, by the monotonic clock
   */
  public UserRow(
      RowStore rows,
      ColumnFamily family,
      RowKey key,
      Consistency consistency,
      LongSupplier deadlineNanos) {
    this.rows = rows;
    this.family = family;
    this.key = key;
    this.consistency = consistency;
    this.deadlineNanos = deadlineNanos;
  }

  /** The index. */
  ColumnFamily family() {
    return family;
  }

  /** The user. */
  RowKey key() {
    return key;
  }

  /** What the reads have cost so far. */
  public CallCost cost() {
    return cost;
  }

  /** Compares document ids. */
  int compareIds(byte[] left, byte[] right) {
    return family.order().leafType().compare(left, right);
  }

  /**
   * Reads cells, in the order of their paths, and gives them to {@code sink}.
   *
   * @param ranges disjoint, ascending
   */
  CompletableFuture<Void> read(List<PathRange> ranges, Consumer<Cell> sink) {
    return ranges.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : read(new Slice(ranges, false, false, Long.MAX_VALUE), sink);
  }

  /** Reads the newest entries of a range within a super column, the newest first. */
  CompletableFuture<Void> readNewest(PathRange range, int limit, Consumer<Cell> sink) {
    return read(new Slice(List.of(range), true, false, limit), sink);
  }

  /**
   * Reads the columns of a super column that have these names, in any order. Names that lie close
   * to one another, as those of the newest documents do, are read as a range, which costs one block
   * where each name by itself would cost one.
   *
   * @param ids ascending
   */
  CompletableFuture<Void> readNamed(byte[] top, List<byte[]> ids, Consumer<Cell> sink) {
    if (ids.size() < MIN_SCANNED) {
      return read(ids.stream().map(id -> PathRange.of(top, id)).toList(), sink);
    }
    byte[] greatest = ids.get(ids.size() - 1);
    PathRange range = new PathRange(Bound.before(top, ids.get(0)), Bound.after(top, greatest));
    int limit = 2 * ids.size();
    var scanned =
        new Object() {
          int cells;
          byte @Nullable [] last;
        };
    return readNewest(
            range,
            limit,
            cell -> {
              scanned.cells++;
              scanned.last = cell.name();
              sink.accept(cell);
            })
        .thenCompose(
            done -> {
              byte[] last = scanned.last;
              if (last == null || scanned.cells < limit) {
                return CompletableFuture.completedFuture(null);
              }
              return read(
                  ids.stream()
                      .filter(id -> compareIds(id, last) < 0)
                      .map(id -> PathRange.of(top, id))
                      .toList(),
                  sink);
            });
  }

  /** Reads the first cell of a range. */
  CompletableFuture<Void> readFirst(PathRange range, Consumer<Cell> sink) {
    return read(new Slice(List.of(range), false, false, 1), sink);
  }

  /** Reads to the end of a slice, since a page of the store may be short. */
  private CompletableFuture<Void> read(Slice slice, Consumer<Cell> sink) {
    return page(slice, Optional.empty(), sink)
        .thenCompose(
            first ->
                first.next().isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : readOn(slice, first.next(), sink));
  }

  private CompletableFuture<Void> readOn(
      Slice slice, Optional<SlicePosition> from, Consumer<Cell> sink) {
    var at =
        new Object() {
          Optional<SlicePosition> position = from;
        };
    return AsyncLoop.whileTrue(
        () ->
            page(slice, at.position, sink)
                .thenApply(
                    page -> {
                      at.position = page.next();
                      return page.next().isPresent();
                    }));
  }

  private CompletableFuture<SlicePage> page(
      Slice slice, Optional<SlicePosition> from, Consumer<Cell> sink) {
    return rows.read(
            new SliceRead(
                family,
                key,
                slice,
                from,
                PAGE_BYTES,
                consistency,
                deadlineNanos.getAsLong(),
                PageSink.LISTS))
        .thenApply(
            page -> {
              cost = cost.plus(page.cost());
              page.cells().forEach(sink);
              return page;
            });
  }
}
