package dev.colonnade.server.base.model;

import java.util.List;
import java.util.Optional;

/**
 * One page of a slice of one row.
 *
 * @param found has the live cells, in reading order; empty when only counting
 * @param counted live columns or super columns of all pages so far
 * @param next where to go on; empty when the slice is complete. A page may be empty and have a next
 * @param topContinues whether {@code next} goes on inside the last cell's super column
 */
public record RowPage(
    CellSink found, long counted, Optional<SlicePosition> next, boolean topContinues) {

  /** The cells of a page that was read into a {@link CellList}. */
  public List<Cell> cells() {
    return CellList.of(found);
  }

  /** The page that was filled. */
  public static RowPage of(LiveCells live) {
    return new RowPage(live.cells(), live.counted(), live.next(), live.topContinues());
  }
}
