package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.Consistency;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One page of a scan over rows in token order.
 *
 * @param ranges read one after the other, in this order
 * @param rowLimit how many rows to list at most, over all pages
 * @param includeEmptyRows also list rows without a live match, even if they hold only deletions
 * @param keysOnly list keys without cells; a row is listed when its slice is not empty
 * @param pageBytes as in {@link SliceRead}; keys count too
 * @param deadlineNanos as in {@link SliceRead}
 * @param sinks as in {@link SliceRead}
 */
public record RangeRead(
    ColumnFamily family,
    List<RowRange> ranges,
    Slice slice,
    long rowLimit,
    boolean includeEmptyRows,
    boolean keysOnly,
    Optional<RangePosition> from,
    int pageBytes,
    Consistency consistency,
    long deadlineNanos,
    Supplier<PageSink> sinks) {

  /** Wants lists of cells. */
  public RangeRead(
      ColumnFamily family,
      List<RowRange> ranges,
      Slice slice,
      long rowLimit,
      boolean includeEmptyRows,
      boolean keysOnly,
      Optional<RangePosition> from,
      int pageBytes,
      Consistency consistency,
      long deadlineNanos) {
    this(
        family,
        ranges,
        slice,
        rowLimit,
        includeEmptyRows,
        keysOnly,
        from,
        pageBytes,
        consistency,
        deadlineNanos,
        PageSink.LISTS);
  }

  /** The command that goes on at a row of one of the ranges, or inside it. */
  RangeCommand command(
      RowKey start,
      Optional<RowKey> end,
      Optional<SlicePosition> inside,
      boolean startListed,
      long rowsListed,
      long nowSeconds) {
    return new RangeCommand(
        start,
        end,
        inside,
        startListed,
        slice,
        rowLimit - rowsListed,
        includeEmptyRows,
        keysOnly,
        pageBytes,
        nowSeconds);
  }
}
