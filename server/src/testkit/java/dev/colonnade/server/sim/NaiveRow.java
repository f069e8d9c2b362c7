package dev.colonnade.server.sim;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.Reconcile;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Every version of every cell of one row, and every deletion, kept for ever; rules are applied when
 * somebody reads.
 */
final class NaiveRow {

  private final PathOrder order;
  private final TreeMap<Position, List<Cell>> versions;
  private final List<RangeTombstone> ranges = new ArrayList<>();
  private DeletionTime rowDeletion = DeletionTime.NONE;

  NaiveRow(PathOrder order) {
    this.order = order;
    this.versions = new TreeMap<>(order);
  }

  void apply(RowUpdate update) {
    rowDeletion = DeletionTime.max(rowDeletion, update.rowDeletion());
    ranges.addAll(update.ranges());
    for (Cell cell : update.cells()) {
      versions.computeIfAbsent(cell, path -> new ArrayList<>()).add(cell);
    }
  }

  /** What is left of a slice behind a position, in reading order, its limit applied. */
  List<Cell> read(Slice slice, Optional<SlicePosition> from, long nowSeconds) {
    List<Cell> cells = new ArrayList<>();
    for (Cell cell : inReadingOrder(slice, live(slice.ranges(), nowSeconds))) {
      boolean newEnough = cell.timestamp() >= slice.minTimestamp();
      if (newEnough && (from.isEmpty() || isBehind(cell, from.get().at(), slice))) {
        cells.add(cell);
      }
    }
    return limited(cells, slice, from);
  }

  /** How many cells within the slice's ranges are not live. */
  long dead(Slice slice, long nowSeconds) {
    long all = versions.keySet().stream().filter(path -> inside(slice.ranges(), path)).count();
    return all - live(slice.ranges(), nowSeconds).size();
  }

  private List<Cell> live(List<PathRange> wanted, long nowSeconds) {
    List<Cell> live = new ArrayList<>();
    versions.forEach(
        (path, cells) -> {
          Cell winner = cells.get(0);
          for (Cell cell : cells) {
            winner = Reconcile.pick(winner, cell);
          }
          if (inside(wanted, path) && winner.isLiveAt(nowSeconds) && !isHidden(winner)) {
            live.add(winner);
          }
        });
    return live;
  }

  private boolean isHidden(Cell cell) {
    boolean notDeletedInSuperColumn = cell.timestamp() == Long.MIN_VALUE && order.isSuper();
    if (rowDeletion.hides(cell.timestamp()) || notDeletedInSuperColumn) {
      return true;
    }
    for (RangeTombstone range : ranges) {
      if (range.deletion().hides(cell.timestamp())
          && order.compare(range.start(), cell) < 0
          && order.compare(cell, range.end()) < 0) {
        return true;
      }
    }
    return false;
  }

  private boolean inside(List<PathRange> wanted, Position path) {
    for (PathRange range : wanted) {
      if (order.compare(range.start(), path) < 0 && order.compare(path, range.end()) < 0) {
        return true;
      }
    }
    return false;
  }

  /** Super columns may come backwards; the columns inside of one that comes whole never do. */
  private List<Cell> inReadingOrder(Slice slice, List<Cell> ascending) {
    if (!slice.reversed()) {
      return ascending;
    }
    List<Cell> cells = new ArrayList<>(ascending);
    Collections.reverse(cells);
    if (!slice.bySuperColumn()) {
      return cells;
    }
    int start = 0;
    for (int i = 1; i <= cells.size(); i++) {
      if (i == cells.size() || !order.sameTop(cells.get(start), cells.get(i))) {
        Collections.reverse(cells.subList(start, i));
        start = i;
      }
    }
    return cells;
  }

  private boolean isBehind(Cell cell, Bound at, Slice slice) {
    if (!slice.reversed()) {
      return order.compare(cell, at) > 0;
    }
    boolean atIsInRow = at.weight() != Bound.START.weight() && at.weight() != Bound.END.weight();
    if (slice.bySuperColumn() && atIsInRow && order.sameTop(cell, at)) {
      return order.compare(cell, at) > 0;
    }
    return order.compare(cell, at) < 0;
  }

  private List<Cell> limited(List<Cell> cells, Slice slice, Optional<SlicePosition> from) {
    long counted = from.map(SlicePosition::counted).orElse(0L);
    Position top = from.isPresent() && from.get().topCounted() ? from.get().at() : null;
    List<Cell> taken = new ArrayList<>();
    for (Cell cell : cells) {
      boolean sameTop = slice.bySuperColumn() && top != null && order.sameTop(top, cell);
      if (!sameTop && counted++ >= slice.limit()) {
        break;
      }
      taken.add(cell);
      top = cell;
    }
    return taken;
  }

  /**
   * The position behind the first {@code count} of {@code cells}, which were read from {@code
   * from}.
   */
  Optional<SlicePosition> positionAfter(
      List<Cell> cells, int count, Slice slice, Optional<SlicePosition> from) {
    if (count == 0) {
      Bound start = slice.reversed() ? Bound.END : Bound.START;
      return Optional.of(from.orElse(new SlicePosition(start, false, 0)));
    }
    long counted = from.map(SlicePosition::counted).orElse(0L);
    Position top = from.isPresent() && from.get().topCounted() ? from.get().at() : null;
    for (Cell cell : cells.subList(0, count)) {
      if (!(slice.bySuperColumn() && top != null && order.sameTop(top, cell))) {
        counted++;
      }
      top = cell;
    }
    Cell last = cells.get(count - 1);
    boolean below = slice.reversed() && !slice.bySuperColumn();
    return Optional.of(
        new SlicePosition(
            below ? Bound.before(last) : Bound.after(last), slice.bySuperColumn(), counted));
  }

  boolean continuesTop(List<Cell> cells, int count, Slice slice) {
    return slice.bySuperColumn()
        && count > 0
        && count < cells.size()
        && order.sameTop(cells.get(count - 1), cells.get(count));
  }
}
