package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.CellList;
import dev.colonnade.server.base.model.CellSink;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.v1.GetRangeSlicesResponse;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a scan, filled from pages of the store up to a number of encoded bytes, but with at least
 * one column, or one row if rows have no columns. It ends where a page ends inside a row, since the
 * next page would show the row at another moment. For one thread at a time.
 */
final class RangeAnswer implements AnswerWork.Part<RangeAnswer> {

  private final int limitBytes;
  private final EncodedRows rows;

  private Optional<RangePosition> next;
  private @Nullable RowKey lastRow;
  private @Nullable EncodedColumns openRow;
  private boolean openRowListed;
  private long rowsListed;
  private boolean rowContinues;
  private boolean superColumnContinues;
  private boolean full;
  private long bytes;
  private CallCost cost = CallCost.NONE;

  RangeAnswer(Slice slice, ColumnComparator topType, Optional<RangePosition> from, int limitBytes) {
    this.limitBytes = limitBytes;
    this.rows = new EncodedRows(GetRangeSlicesResponse.ROWS_FIELD_NUMBER, slice, topType);
    this.next = from;
    if (from.isPresent()) {
      RangePosition position = from.get();
      lastRow = position.row();
      rowsListed = position.rowsListed();
      SlicePosition inside = position.inside().orElse(null);
      openRow = inside == null ? null : rows.start(inside);
    }
  }

  /**
   * What takes the rows of the page that is read from {@link #next()}.
   *
   * @param check throws if the page is no longer wanted
   */
  Supplier<PageSink> sinks(Runnable check) {
    int room = roomBytes();
    return () -> rows.sink(room, check);
  }

  /** Adds what fits of a page that was read from {@link #next()}. */
  void add(RangePage page) {
    cost = cost.plus(page.cost());
    for (RowCells row : page.rows()) {
      if (!addRow(row)) {
        full = true;
        return;
      }
    }
    next = page.next();
    rowContinues = next.isPresent() && next.get().inside().isPresent();
    if (!page.rows().isEmpty()) {
      boolean withCells = !page.rows().get(page.rows().size() - 1).found().isEmpty();
      superColumnContinues = withCells && page.topContinues();
    }
    if (!rowContinues) {
      closeRow();
    }
    // The last eighth is not worth another read.
    full = !isBareRowOpen() && (rowContinues || bytes >= limitBytes - limitBytes / 8);
  }

  /** Whether the last row continues and none of its columns was added. */
  private boolean isBareRowOpen() {
    EncodedColumns columns = openRow;
    return rowContinues && (columns == null || columns.isEmpty());
  }

  private boolean addRow(RowCells row) {
    RowKey last = lastRow;
    EncodedColumns columns = openRow;
    if (columns == null || last == null || !last.equals(row.key())) {
      closeRow();
      columns = rows.start(null);
    }
    if (!openRowListed) {
      int size = EncodedRows.ROW_BYTES + row.key().key().length;
      if (bytes + size + leastBytes(row.found(), columns) > limitBytes && !rows.isEmpty()) {
        next = behindLastRow();
        rowContinues = false;
        superColumnContinues = false;
        return false;
      }
      if (columns != openRow) {
        rowsListed++;
      }
      bytes += size;
      openRow = columns;
      openRowListed = true;
      lastRow = row.key();
    }
    if (row.found() instanceof EncodedColumns encoded) {
      // Nothing of the row is there yet.
      openRow = encoded;
      bytes += encoded.bytes();
      return true;
    }
    for (Cell cell : row.cells()) {
      int size = columns.bytesOf(cell);
      if (bytes + size > limitBytes && !(rows.isEmpty() && columns.isEmpty())) {
        cutInside(row.key(), columns, columns.continues(cell));
        return false;
      }
      columns.add(cell);
      bytes += size;
    }
    return true;
  }

  /** How much of a new row cannot be left for the next page, besides its key. */
  private static long leastBytes(CellSink found, EncodedColumns columns) {
    if (found.isEmpty()) {
      return 0;
    }
    return found instanceof EncodedColumns encoded
        ? encoded.bytes()
        : columns.bytesOf(CellList.of(found).get(0));
  }

  private void cutInside(RowKey row, EncodedColumns columns, boolean insideSuperColumn) {
    if (!columns.isEmpty()) {
      next =
          Optional.of(new RangePosition(row, Optional.ofNullable(columns.position()), rowsListed));
    }
    // Otherwise none of the row's columns fits, and the position is still the one that this page
    // was read from.
    rowContinues = true;
    superColumnContinues = insideSuperColumn;
  }

  private void closeRow() {
    EncodedColumns columns = openRow;
    RowKey key = lastRow;
    if (columns != null && key != null && openRowListed) {
      rows.add(key, columns);
    }
    openRow = null;
    openRowListed = false;
  }

  private Optional<RangePosition> behindLastRow() {
    RowKey row = lastRow;
    return row == null
        ? Optional.empty()
        : Optional.of(new RangePosition(row, Optional.empty(), rowsListed));
  }

  boolean done() {
    return full || next.isEmpty();
  }

  int roomBytes() {
    return (int) Math.max(1, limitBytes - bytes);
  }

  boolean isEmpty() {
    return rows.isEmpty() && (!openRowListed || isBareRowOpen());
  }

  Optional<RangePosition> next() {
    return next;
  }

  /** The position after the last column or row, even if the scan is complete. */
  Optional<RangePosition> position() {
    return next.isPresent() ? next : behindLastRow();
  }

  boolean rowContinues() {
    return next.isPresent() && rowContinues;
  }

  boolean superColumnContinues() {
    return rowContinues() && superColumnContinues;
  }

  @Override
  public boolean isComplete() {
    return next.isEmpty();
  }

  @Override
  public void replaces(RangeAnswer other) {
    cost = cost.plus(other.cost);
  }

  @Override
  public long heapBytes() {
    EncodedColumns open = openRow;
    return rows.heapBytes() + (open == null ? 0 : open.heapBytes());
  }

  CallCost cost() {
    return cost;
  }

  /** The encoded rows; to be used once. */
  ByteChunks finish() {
    closeRow();
    return rows.finish();
  }
}
