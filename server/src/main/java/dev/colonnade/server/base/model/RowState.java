package dev.colonnade.server.base.model;

import org.jspecify.annotations.Nullable;

/**
 * Everything that one source in memory knows of a row, as a snapshot. Applying an update makes a
 * new state that shares almost everything with the old one, so a reader that holds a state never
 * sees half of an update, however wide the row and however busy its writer.
 *
 * <p>Cells that a deletion of the same state hides may still be there; {@link #cursor} skips them.
 *
 * <p>Immutable, thread-safe.
 */
public final class RowState {

  /**
   * Rough cost of a cell, its arrays and its share of the tree beyond the payload, on a 64-bit
   * heap.
   */
  public static final int CELL_OVERHEAD_BYTES = 120;

  /** An unknown row. */
  public static final RowState EMPTY =
      new RowState(DeletionTime.NONE, RangeTombstoneTree.EMPTY, SortedTree.empty(), 0);

  private final DeletionTime rowDeletion;
  private final RangeTombstoneTree ranges;
  private final SortedTree<Cell> cells;
  private final long heapBytes;

  private RowState(
      DeletionTime rowDeletion, RangeTombstoneTree ranges, SortedTree<Cell> cells, long heapBytes) {
    this.rowDeletion = rowDeletion;
    this.ranges = ranges;
    this.cells = cells;
    this.heapBytes = heapBytes;
  }

  /** Returns this state with an update merged in. */
  public RowState apply(RowUpdate update, PathOrder order) {
    return apply(update, order, null);
  }

  /**
   * Returns this state with an update merged in, to be held in memory for long: cells are packed
   * where that saves memory.
   *
   * @param names of the rows beside it; null packs nothing
   */
  public RowState apply(RowUpdate update, PathOrder order, @Nullable CellNamePool names) {
    CellsMerge merge = new CellsMerge(cells, heapBytes - ranges.heapBytes(), order);
    merge.apply(update.cells(), names);
    RangeTombstoneTree changedRanges = ranges.addAll(update.ranges(), order);
    return new RowState(
        DeletionTime.max(rowDeletion, update.rowDeletion()),
        changedRanges,
        merge.cells(),
        merge.heapBytes() + changedRanges.heapBytes());
  }

  /** The deletion of the whole row. */
  public DeletionTime rowDeletion() {
    return rowDeletion;
  }

  /** How many cells are held, hidden and deleted ones included. */
  public int cellCount() {
    return cells.size();
  }

  /** About how much heap this takes. */
  public long heapBytes() {
    return heapBytes;
  }

  /** Whether nothing at all is known of the row. */
  public boolean isEmpty() {
    return rowDeletion.isNone() && ranges.isEmpty() && cells.isEmpty();
  }

  /** The version of one cell that is held here, hidden or not; null if there is none. */
  public @Nullable Cell find(Position path, PathOrder order) {
    return cells.find(path, order);
  }

  /** The atoms in a range, in one direction. Reading cannot fail. */
  public AtomCursor cursor(PathRange range, boolean reversed, PathOrder order) {
    Bound from = reversed ? range.end() : range.start();
    Bound to = reversed ? range.start() : range.end();
    return new StateCursor(
        rowDeletion,
        ranges.boundaries(from, reversed, order),
        cells.cursor(from, reversed, order),
        to,
        reversed,
        order);
  }
}
