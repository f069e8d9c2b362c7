package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The changes that one mutation makes to one row of one family: a deletion of the whole row,
 * deletions of ranges, and cells. Canonical: cells sorted and each path once, ranges disjoint and
 * sorted, so equal changes have equal bytes.
 *
 * <p>Immutable.
 */
public final class RowUpdate {

  /** Changes nothing. */
  public static final RowUpdate NOTHING = new RowUpdate(DeletionTime.NONE, List.of(), List.of());

  private final DeletionTime rowDeletion;
  private final List<RangeTombstone> ranges;
  private final List<Cell> cells;

  private RowUpdate(DeletionTime rowDeletion, List<RangeTombstone> ranges, List<Cell> cells) {
    this.rowDeletion = rowDeletion;
    this.ranges = ranges;
    this.cells = cells;
  }

  /** Collects changes in any order; the result does not depend on it. */
  public static Builder builder(PathOrder order) {
    return new Builder(order);
  }

  /** Wraps parts that are known to be canonical, as when they come back from the log. */
  public static RowUpdate ofCanonical(
      DeletionTime rowDeletion, List<RangeTombstone> ranges, List<Cell> cells) {
    return new RowUpdate(rowDeletion, ranges, cells);
  }

  /** The deletion of the whole row, or {@link DeletionTime#NONE}. */
  public DeletionTime rowDeletion() {
    return rowDeletion;
  }

  /** The range deletions: disjoint, ascending. */
  public List<RangeTombstone> ranges() {
    return ranges;
  }

  /** The cells: ascending, each path once. */
  public List<Cell> cells() {
    return cells;
  }

  /** Whether this changes nothing and leaves no trace. */
  public boolean isEmpty() {
    return rowDeletion.isNone() && ranges.isEmpty() && cells.isEmpty();
  }

  /** How many operations this counts for: one for each cell and each deletion. */
  public int operations() {
    return cells.size() + ranges.size() + (rowDeletion.isNone() ? 0 : 1);
  }

  /** Collects the changes of one row; for one thread. */
  public static final class Builder {
    private final PathOrder order;
    private DeletionTime rowDeletion = DeletionTime.NONE;
    private final List<RangeTombstone> ranges = new ArrayList<>(0);
    private final List<Cell> cells = new ArrayList<>(4);

    private Builder(PathOrder order) {
      this.order = order;
    }

    /** Deletes the row; of several deletions the strongest counts. */
    public Builder deleteRow(DeletionTime deletion) {
      rowDeletion = DeletionTime.max(rowDeletion, deletion);
      return this;
    }

    /** Deletes everything in a range; an empty range leaves no trace. */
    public Builder deleteRange(PathRange range, DeletionTime deletion) {
      if (!deletion.isNone() && order.compare(range.start(), range.end()) < 0) {
        ranges.add(new RangeTombstone(range.start(), range.end(), deletion));
      }
      return this;
    }

    /** Writes or deletes one cell. */
    public Builder add(Cell cell) {
      cells.add(cell);
      return this;
    }

    /** Returns the changes in canonical form. */
    public RowUpdate build() {
      return new RowUpdate(
          rowDeletion, List.copyOf(RangeFragmenter.canonical(ranges, order)), canonicalCells());
    }

    private List<Cell> canonicalCells() {
      if (cells.size() > 1) {
        cells.sort(order);
        int last = 0;
        for (int i = 1; i < cells.size(); i++) {
          Cell cell = cells.get(i);
          if (order.compare(cells.get(last), cell) == 0) {
            cells.set(last, Reconcile.pick(cells.get(last), cell));
          } else {
            cells.set(++last, cell);
          }
        }
        cells.subList(last + 1, cells.size()).clear();
      }
      return List.copyOf(cells);
    }
  }
}
