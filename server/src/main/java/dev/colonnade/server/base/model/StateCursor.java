package dev.colonnade.server.base.model;

import org.jspecify.annotations.Nullable;

/**
 * Joins the cells and the range deletions of a {@link RowState} into one sequence. For one thread.
 */
final class StateCursor implements AtomCursor {

  private final DeletionTime rowDeletion;
  private final RangeBoundaries boundaries;
  private final TreeCursor<Cell> cells;
  private final Bound to;
  private final boolean reversed;
  private final PathOrder order;
  private @Nullable Cell cell;
  private @Nullable RangeTombstoneMarker marker;

  StateCursor(
      DeletionTime rowDeletion,
      RangeBoundaries boundaries,
      TreeCursor<Cell> cells,
      Bound to,
      boolean reversed,
      PathOrder order) {
    this.rowDeletion = rowDeletion;
    this.boundaries = boundaries;
    this.cells = cells;
    this.to = to;
    this.reversed = reversed;
    this.order = order;
    this.cell = within(cells.next());
    this.marker = within(boundaries.next());
  }

  @Override
  public DeletionTime rowDeletion() {
    return rowDeletion;
  }

  @Override
  public DeletionTime open() {
    return boundaries.open();
  }

  @Override
  public @Nullable Atom next() {
    if (cell == null || (marker != null && isAhead(marker, cell))) {
      RangeTombstoneMarker result = marker;
      if (result != null) {
        marker = within(boundaries.next());
      }
      return result;
    }
    Cell result = cell;
    cell = within(cells.next());
    return result;
  }

  private boolean isAhead(Position a, Position b) {
    int result = order.compare(a, b);
    return reversed ? result > 0 : result < 0;
  }

  private <P extends Position> @Nullable P within(@Nullable P position) {
    return position != null && isAhead(position, to) ? position : null;
  }
}
