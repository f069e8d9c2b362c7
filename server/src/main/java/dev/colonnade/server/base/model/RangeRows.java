package dev.colonnade.server.base.model;

import java.util.List;
import java.util.Optional;

/**
 * One page of rows in token order.
 *
 * @param rows listed ones
 * @param rowsListed rows listed by all pages so far; a row that several pages list in parts counts
 *     once
 * @param next where to go on; empty when the range is complete or the row limit reached. A page may
 *     be empty and have a next, and it may end inside a row of which it lists nothing
 * @param topContinues whether {@code next} goes on inside the last cell's super column
 */
public record RangeRows(
    List<RowCells> rows, long rowsListed, Optional<RangePosition> next, boolean topContinues) {

  /** The last row of the page; empty if it lists none. */
  public Optional<RowKey> lastRow() {
    return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(rows.size() - 1).key());
  }
}
