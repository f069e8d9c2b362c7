package dev.colonnade.server.base.model;

import java.util.List;
import java.util.Optional;

/**
 * Everything one replica knows of rows in token order.
 *
 * @param rows in token order, with their own ends; a row that is not here, and not behind {@code
 *     end}, is unknown to the replica. Rows that exist but have nothing in the slice are here when
 *     the query asked for empty rows
 * @param end the last row that is covered, as far as its own fragment says; empty when the whole
 *     range of rows is
 */
public record RangeFragment(List<Row> rows, Optional<RowKey> end) {

  /** Copies the list. */
  public RangeFragment {
    rows = List.copyOf(rows);
  }

  /** Everything known of one row. */
  public record Row(RowKey key, RowFragment fragment) {}
}
