package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.Consistency;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One page of a scan over rows in token order.
 *
 * @param ranges read one after the other, in this order; no two of them have a row in common
 * @param rowLimit how many rows to list at most, over all pages
 * @param includeEmptyRows also list rows without a live match, even if they hold only deletions
 * @param keysOnly list keys without cells; a row is listed when its slice is not empty
 * @param pageBytes as in {@link SliceRead}; keys count too
 * @param deadlineNanos as in {@link SliceRead}
 * @param sinks as in {@link SliceRead}
 * @param trace as in {@link SliceRead}
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
    Supplier<PageSink> sinks,
    @Nullable CallTrace trace) {

  /** A scan that is not traced. */
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
      long deadlineNanos,
      Supplier<PageSink> sinks) {
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
        sinks,
        null);
  }

  /** This scan in a trace. */
  public RangeRead traced(CallTrace by) {
    return new RangeRead(
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
        sinks,
        by);
  }

  /** Which of the ranges the read begins in, from 0. */
  int firstRange() {
    return from.map(position -> rangeOf(ranges, position.row())).orElse(0);
  }

  /** Which of the ranges has the row, from 0. */
  public static int rangeOf(List<RowRange> ranges, RowKey row) {
    for (int i = 0; i < ranges.size(); i++) {
      if (ranges.get(i).contains(row)) {
        return i;
      }
    }
    throw new IllegalArgumentException("none of the ranges of the scan has the row " + row);
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
        rowsListed,
        slice,
        rowLimit,
        includeEmptyRows,
        keysOnly,
        pageBytes,
        nowSeconds);
  }
}
