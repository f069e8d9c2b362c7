package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.CellList;
import dev.colonnade.server.base.model.CellSink;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.CallCost;
import java.util.List;
import java.util.Optional;

/**
 * A part of a slice.
 *
 * @param found has the cells, live ones only, in reading order; the cells of a super column follow
 *     one another. Empty when only counting
 * @param counted live columns or super columns of all pages so far
 * @param next where to continue; empty when the slice is complete. A page may be short and still
 *     have a next, but not an empty one
 * @param topContinues whether the next page continues inside the last cell's super column
 */
public record SlicePage(
    CellSink found,
    long counted,
    Optional<SlicePosition> next,
    boolean topContinues,
    CallCost cost) {

  /** A page with a list of cells. */
  public SlicePage(
      List<Cell> cells,
      long counted,
      Optional<SlicePosition> next,
      boolean topContinues,
      CallCost cost) {
    this(new CellList(cells), counted, next, topContinues, cost);
  }

  /** The cells of a page that was read into a {@link CellList}. */
  public List<Cell> cells() {
    return CellList.of(found);
  }
}
