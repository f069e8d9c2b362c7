package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Fills a page of rows in token order: receives what was found of each row, and lists the row until
 * the command's row limit is reached or the page is full. The one place that knows which rows
 * count, as {@link LiveCells} is for the columns of a row. For one thread and one page.
 */
public final class LiveRows {

  private final RangeCommand command;
  private final List<RowCells> rows = new ArrayList<>();
  private long rowsListed;
  private long bytesLeft;
  private @Nullable RangePosition next;
  private boolean topContinues;

  /** Creates an empty page. */
  public LiveRows(RangeCommand command) {
    this.command = command;
    this.rowsListed = command.rowsListed();
    this.bytesLeft = command.bytes();
  }

  /** Whether the limit leaves room for the row; if not, the page is complete. */
  public boolean isWanted(RowKey key) {
    return !isLimitReached() || wasListed(key);
  }

  /** Whether no further row is wanted, other than the rest of one that was listed in part. */
  public boolean isLimitReached() {
    return rowsListed >= command.rowLimit();
  }

  /** About how many bytes of names and values the page has room for; 0 or less if it is full. */
  public long bytesLeft() {
    return bytesLeft;
  }

  /**
   * Takes the part of a row that was read from {@link RangeCommand#from}, and lists the row if it
   * has something live, or if empty rows are wanted.
   *
   * @param bytes the size of its cells, as {@link LiveCells} counts it
   * @return whether the row is done; if not, the page ends inside it
   */
  public boolean take(RowKey key, RowPage part, long bytes) {
    Optional<SlicePosition> from = command.from(key);
    long countedBefore = from.isPresent() ? from.get().counted() : 0;
    boolean live = !part.found().isEmpty() || part.counted() > countedBefore;
    bytesLeft -= bytes;
    if (live || (command.includeEmptyRows() && from.isEmpty())) {
      list(new RowCells(key, part.found()));
      bytesLeft -= key.key().length;
    }
    if (part.next().isEmpty() || (command.keysOnly() && live)) {
      return true;
    }
    pauseAt(key, part.next(), part.topContinues());
    return false;
  }

  /** Lists a row as it is. */
  public void list(RowCells row) {
    if (!wasListed(row.key())) {
      rowsListed++;
    }
    rows.add(row);
  }

  private boolean wasListed(RowKey key) {
    return command.startListed() && key.equals(command.start());
  }

  /** Ends the page behind a row up to which all rows have been offered. */
  public void pauseBehind(RowKey row) {
    pauseAt(row, Optional.empty(), false);
  }

  /**
   * Ends the page inside a row.
   *
   * @param inside empty to end behind the row
   * @param continues whether the next page goes on inside the last cell's super column
   */
  public void pauseAt(RowKey row, Optional<SlicePosition> inside, boolean continues) {
    next = new RangePosition(row, inside, rowsListed);
    topContinues = continues;
  }

  /** The page. */
  public RangeRows page() {
    return new RangeRows(rows, rowsListed, Optional.ofNullable(next), topContinues);
  }
}
