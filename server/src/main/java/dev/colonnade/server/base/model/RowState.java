package dev.colonnade.server.base.model;

import java.util.List;
import java.util.function.BinaryOperator;
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
      new RowState(DeletionTime.NONE, RangeTombstoneList.EMPTY, SortedTree.empty(), 0);

  private final DeletionTime rowDeletion;
  private final RangeTombstoneList ranges;
  private final SortedTree<Cell> cells;
  private final long heapBytes;

  private RowState(
      DeletionTime rowDeletion, RangeTombstoneList ranges, SortedTree<Cell> cells, long heapBytes) {
    this.rowDeletion = rowDeletion;
    this.ranges = ranges;
    this.cells = cells;
    this.heapBytes = heapBytes;
  }

  /** Returns this state with an update merged in. */
  public RowState apply(RowUpdate update, PathOrder order) {
    Growth growth = new Growth();
    SortedTree<Cell> changedCells = cells;
    BinaryOperator<Cell> pick =
        (older, newer) -> {
          Cell kept = Reconcile.pick(older, newer);
          growth.bytes += heapBytesOf(kept) - heapBytesOf(older) - heapBytesOf(newer);
          return kept;
        };
    for (Cell cell : update.cells()) {
      growth.bytes += heapBytesOf(cell);
    }
    if (update.cells().size() > 1 && isAscending(update.cells(), order)) {
      changedCells = cells.putAll(update.cells(), order, pick);
    } else {
      for (Cell cell : update.cells()) {
        changedCells = changedCells.put(cell, order, pick);
      }
    }
    RangeTombstoneList changedRanges = ranges;
    for (RangeTombstone range : update.ranges()) {
      changedRanges = changedRanges.add(range, order);
    }
    growth.bytes += changedRanges.heapBytes() - ranges.heapBytes();
    return new RowState(
        DeletionTime.max(rowDeletion, update.rowDeletion()),
        changedRanges,
        changedCells,
        heapBytes + growth.bytes);
  }

  /**
   * Checks the order of the cells. It holds if the update was built with this comparator. Comparing
   * again detects a comparator that throws, or that differs from the one where the update was made,
   * before the update is stored anywhere.
   */
  private static boolean isAscending(List<Cell> cells, PathOrder order) {
    for (int i = 1; i < cells.size(); i++) {
      if (order.compare(cells.get(i - 1), cells.get(i)) >= 0) {
        return false;
      }
    }
    return true;
  }

  private static long heapBytesOf(Cell cell) {
    return cell.payloadBytes() + (long) CELL_OVERHEAD_BYTES;
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

  /** The heap that one update adds. */
  private static final class Growth {
    long bytes;
  }
}
