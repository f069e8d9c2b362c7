package dev.colonnade.server.service.bulkload;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.service.bulkload.BulkLoadException.Refusal;
import dev.colonnade.server.storage.engine.RangeIngest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a load, and refuses what a data file cannot hold: rows and columns that do not
 * ascend, and rows outside of the load's ranges. A row stays open until the next one begins, since
 * it may go on in the next chunk.
 *
 * <p>One thread at a time; may block on the disk. After an exception nothing more is written.
 */
public final class LoadWriter {
  private final LoadTarget target;
  private final PathOrder order;
  private final RangeIngest ingest;
  private TokenRange range;
  private @Nullable RowKey row;
  private @Nullable Cell last;
  private long rows;
  private long columns;

  LoadWriter(LoadTarget target, RangeIngest ingest) {
    this.target = target;
    this.order = target.family().order();
    this.ingest = ingest;
    this.range = target.ranges().get(0);
  }

  /** Begins a row. */
  public void beginRow(RowKey key) throws IOException {
    RowKey before = row;
    if (before != null && before.compareTo(key) >= 0) {
      throw outOfOrder(
          before.equals(key)
              ? "row " + rows + " repeats the key of the row before it"
              : "row " + rows + " comes after one with a greater token or key");
    }
    requireInRange(key.token());
    end();
    ingest.startRow(key, DeletionTime.NONE, DeletionTime.NONE);
    row = key;
    last = null;
    rows++;
  }

  /** Goes on with the last row. */
  public void continueRow(RowKey key) {
    if (!key.equals(row)) {
      throw outOfOrder("the part of a row is not of the last row, which is row " + (rows - 1));
    }
  }

  /** Adds the next column of the row. */
  public void add(Cell cell) throws IOException {
    Cell before = last;
    if (before != null && order.compare(before, cell) >= 0) {
      throw outOfOrder(
          "a column of row " + (rows - 1) + " is not greater than the column before it");
    }
    ingest.add(cell);
    last = cell;
    columns++;
  }

  /** Ends the last row. */
  void end() throws IOException {
    if (row != null) {
      ingest.endRow();
      row = null;
    }
  }

  private void requireInRange(byte[] token) {
    if (range.contains(token)) {
      return;
    }
    for (TokenRange other : target.ranges()) {
      if (other.contains(token)) {
        range = other;
        return;
      }
    }
    throw new BulkLoadException(
        Refusal.NOT_A_REPLICA, "row " + rows + " lies in none of the ranges of this load");
  }

  private static BulkLoadException outOfOrder(String what) {
    return new BulkLoadException(
        Refusal.OUT_OF_ORDER,
        what + "; rows are counted from 0, and sorted by token, then key, columns by comparator");
  }

  long rows() {
    return rows;
  }

  long columns() {
    return columns;
  }
}
