package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Merges the cells of an update into those of a row. For one thread, and one update. */
final class CellsMerge {

  /**
   * A packed row whose values change is packed again up to this size: copying it costs less than
   * the objects that it would leave.
   */
  private static final int REPACKED_BYTES_MAX = 2 << 10;

  private final PathOrder order;
  private SortedTree<Cell> cells;
  private long heapBytes;

  /**
   * Starts with a row.
   *
   * @param heapBytes that its cells take, about
   */
  CellsMerge(SortedTree<Cell> cells, long heapBytes, PathOrder order) {
    this.cells = cells;
    this.heapBytes = heapBytes;
    this.order = order;
  }

  /** The merged cells. */
  SortedTree<Cell> cells() {
    return cells;
  }

  /** About how much heap they take. */
  long heapBytes() {
    return heapBytes;
  }

  /** Merges cells in, and packs the result if there is a pool of names and it can be packed. */
  void apply(List<Cell> added, @Nullable CellNamePool names) {
    if (added.isEmpty()) {
      return;
    }
    boolean ascending = isAscending(added);
    if (names != null
        && ascending
        && cells.isEmpty()
        && PackedLeaf.canHold(added, PackedLeaf.VALUE_BYTES_MAX)) {
      pack(added, names);
      return;
    }
    PackedLeaf before = PackedLeaf.in(cells);
    long packedBytes = heapBytes;
    if (before != null) {
      // Unpacked cells keep the whole array in memory until the last of them is overwritten.
      before.visit(position -> count((Cell) position));
    }
    merge(added, ascending);
    if (before != null && cells.size() == before.count()) {
      repack(before, packedBytes);
    }
  }

  private void pack(List<Cell> all, CellNamePool pool) {
    Position[] shared = pool.find(all);
    PackedLeaf packed = PackedLeaf.of(all, shared != null ? shared : pool.add(all));
    cells = SortedTree.ofPacked(packed);
    heapBytes = packed.heapBytes() + (shared != null ? 0 : packed.nameBytes());
  }

  /** Packs a row again whose values have changed, and not its names. */
  private void repack(PackedLeaf before, long packedBytes) {
    List<Cell> all = new ArrayList<>(cells.size());
    cells.addAllTo(all);
    if (PackedLeaf.canHold(all, REPACKED_BYTES_MAX)
        && CellNamePool.areThoseOf(before.names(), all)) {
      PackedLeaf packed = PackedLeaf.of(all, before.names());
      cells = SortedTree.ofPacked(packed);
      heapBytes = packedBytes - before.heapBytes() + packed.heapBytes();
    }
  }

  private void merge(List<Cell> added, boolean ascending) {
    for (Cell cell : added) {
      count(cell);
    }
    if (added.size() > 1 && ascending) {
      cells = cells.putAll(added, order, this::pick);
    } else {
      for (Cell cell : added) {
        cells = cells.put(cell, order, this::pick);
      }
    }
  }

  private Cell pick(Cell older, Cell newer) {
    Cell kept = Reconcile.pick(older, newer);
    heapBytes += heapBytesOf(kept) - heapBytesOf(older) - heapBytesOf(newer);
    return kept;
  }

  private void count(Cell cell) {
    heapBytes += heapBytesOf(cell);
  }

  /**
   * Checks the order of the cells. It holds if the update was built with this comparator. Comparing
   * again detects a comparator that throws, or that differs from the one where the update was made,
   * before the update is stored anywhere.
   */
  private boolean isAscending(List<Cell> added) {
    for (int i = 1; i < added.size(); i++) {
      if (order.compare(added.get(i - 1), added.get(i)) >= 0) {
        return false;
      }
    }
    return true;
  }

  private static long heapBytesOf(Cell cell) {
    return cell.payloadBytes() + (long) RowState.CELL_OVERHEAD_BYTES;
  }
}
