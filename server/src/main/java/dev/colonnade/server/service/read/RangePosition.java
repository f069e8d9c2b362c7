package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPosition;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.Optional;

/**
 * The position of a scan over several ranges: that among the rows, and the range it is in.
 *
 * @param range which of the scan's ranges it is in, from 0
 * @param at the position among the rows
 * @param rowsListed rows delivered so far, that of {@code at} included if it was delivered in part
 *     or whole
 */
public record RangePosition(int range, RowPosition at, long rowsListed) {

  /** Joins the row and the position in its slice, which is empty when the row is done. */
  public RangePosition(int range, RowKey row, Optional<SlicePosition> inside, long rowsListed) {
    this(range, new RowPosition(row, inside), rowsListed);
  }

  /** The last row that was read. */
  public RowKey row() {
    return at.row();
  }

  /** The position in that row's slice; empty when the row is done. */
  public Optional<SlicePosition> inside() {
    return at.inside();
  }
}
