package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes a row of which parts may be missing. Nothing is written that was not in the row: a range
 * deletion that is in force where a part ends, or where one begins, is written only as far as it is
 * known to reach, between two places of that part. Where it ends in the missing part is unknown,
 * and if it were left open, it would delete columns that were never deleted.
 *
 * <p>One thread at a time; may block.
 */
final class SalvagedRow {

  private final SSTableWriter writer;
  private final PathOrder order;
  private final RowKey key;
  private final DeletionTime rowDeletion;
  private DeletionTime openAtStart;

  /**
   * Whether the writer knows of the row: not before it is known how far {@link #openAtStart} is.
   */
  private boolean started;

  /** The range deletion in force behind what was written. */
  private DeletionTime written;

  /** The range deletion in force where the row is read; none if that is unknown. */
  private DeletionTime open;

  /**
   * Where {@link #open} began to be in force, in place of {@link #written}; null if that is written
   * already. A marker is held back until it is known that its deletion reaches to a next place.
   */
  private @Nullable Bound changed;

  private @Nullable Cell lastCell;

  /** Where the last marker was written. */
  private @Nullable Bound lastBound;

  /**
   * Begins a row.
   *
   * @param open the range deletion in force before the first atom that will be added
   * @param fromStart whether that is the first atom of the row
   */
  SalvagedRow(
      SSTableWriter writer,
      PathOrder order,
      RowKey key,
      DeletionTime rowDeletion,
      DeletionTime open,
      boolean fromStart) {
    this.writer = writer;
    this.order = order;
    this.key = key;
    this.rowDeletion = rowDeletion;
    this.openAtStart = fromStart ? open : DeletionTime.NONE;
    this.written = openAtStart;
    this.open = open;
  }

  /** The range deletion in force where the row is read. */
  DeletionTime open() {
    return open;
  }

  void cell(Cell cell) throws IOException {
    writeChange();
    start();
    Bound before = Bound.before(cell);
    Bound used = lastBound;
    if (!written.equals(open) && (used == null || order.compare(used, before) < 0)) {
      put(before, open);
    }
    writer.add(cell);
    lastCell = cell;
  }

  /** Adds a marker whose {@code before} is {@link #open}. */
  void marker(RangeTombstoneMarker marker) throws IOException {
    writeChange();
    changed = marker.bound();
    open = marker.after();
  }

  /** What follows is missing. */
  void gap() throws IOException {
    open = DeletionTime.NONE;
    Bound end = changed;
    Cell cell = lastCell;
    if (end != null) {
      writeChange();
    } else if (!started) {
      openAtStart = DeletionTime.NONE;
      written = DeletionTime.NONE;
    } else if (!written.isNone() && cell != null) {
      put(Bound.after(cell), DeletionTime.NONE);
    }
  }

  /** After a {@link #gap}, the row is read from a later place on, where this is in force. */
  void resume(DeletionTime openThere) {
    open = openThere;
  }

  /** Ends the row, whose end was read: what is open now reaches to it. */
  void end() throws IOException {
    writeChange();
    start();
    writer.endRow();
  }

  private void writeChange() throws IOException {
    Bound bound = changed;
    if (bound != null) {
      changed = null;
      start();
      if (!written.equals(open)) {
        put(bound, open);
      }
    }
  }

  private void put(Bound bound, DeletionTime after) throws IOException {
    writer.add(new RangeTombstoneMarker(bound, written, after));
    written = after;
    lastBound = bound;
  }

  private void start() {
    if (!started) {
      started = true;
      writer.startRow(key, rowDeletion, openAtStart);
    }
  }
}
