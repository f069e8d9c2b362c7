package dev.colonnade.server.engine;

import dev.colonnade.server.model.Atom;
import dev.colonnade.server.model.AtomCursor;
import dev.colonnade.server.model.Bound;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.Marker;
import dev.colonnade.server.model.PathOrder;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.model.SlicePosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one turn of a slice of one row: live cells in reading order until the slice is complete or
 * the budget is spent.
 *
 * <p>Everything but super columns backwards is one walk over the ranges. Super columns backwards
 * keep their columns ascending, so each is found by a step backwards and then read forwards. For
 * one thread and one turn.
 */
final class SliceReader {

  /** What a column costs in an answer beside names and value: tags, lengths, timestamp. */
  private static final int COLUMN_OVERHEAD_BYTES = 24;

  private final PathOrder order;
  private final RowOpener row;
  private final Slice slice;
  private final long nowSeconds;
  private final ReadBudget budget;
  private final boolean keepCells;

  private final List<Cell> cells = new ArrayList<>();
  private long counted;
  private long delivered;
  private long deliveredBytes;
  private int atomsPassed;
  private long tombstonesPassed;
  private @Nullable Cell lastDelivered;
  private byte @Nullable [] countedTop;
  private @Nullable SlicePosition next;
  private boolean topContinues;

  /**
   * Prepares a turn.
   *
   * @param keepCells false to count only
   */
  SliceReader(
      PathOrder order,
      RowOpener row,
      Slice slice,
      long nowSeconds,
      ReadBudget budget,
      boolean keepCells) {
    this.order = order;
    this.row = row;
    this.slice = slice;
    this.nowSeconds = nowSeconds;
    this.budget = budget;
    this.keepCells = keepCells;
  }

  /** Reads from the beginning, or from where an earlier turn paused. */
  void read(Optional<SlicePosition> from) throws IOException {
    if (from.isPresent()) {
      counted = from.get().counted();
      countedTop = from.get().topCounted() ? from.get().at().top() : null;
    }
    if (slice.limit() == 0) {
      return;
    }
    if (slice.bySuperColumn() && slice.reversed()) {
      readSuperColumnsBackwards(from);
    } else {
      readRanges(from);
    }
  }

  /** Live cells delivered in this turn, in reading order; empty when only counting. */
  List<Cell> cells() {
    return cells;
  }

  /** Live columns or super columns of all turns so far. */
  long counted() {
    return counted;
  }

  /** Live cells met in this turn. */
  long delivered() {
    return delivered;
  }

  long deliveredBytes() {
    return deliveredBytes;
  }

  int atomsPassed() {
    return atomsPassed;
  }

  long tombstonesPassed() {
    return tombstonesPassed;
  }

  /** Where to go on; empty when the slice is complete. */
  Optional<SlicePosition> next() {
    return Optional.ofNullable(next);
  }

  /**
   * Whether the last delivered cell's super column may have more columns behind {@link #next};
   * never in a slice of one level, whose columns are answered without their super column. True for
   * certain when the turn paused at a live cell; when it paused among deletions, the rest may turn
   * out to be deleted as well.
   */
  boolean topContinues() {
    return topContinues;
  }

  private void readRanges(Optional<SlicePosition> from) throws IOException {
    List<PathRange> ranges = slice.ranges();
    boolean reversed = slice.reversed();
    for (int i = 0; i < ranges.size(); i++) {
      PathRange range = ranges.get(reversed ? ranges.size() - 1 - i : i);
      PathRange rest = from.isPresent() ? behind(range, from.get().at(), reversed) : range;
      if (order.compare(rest.start(), rest.end()) < 0 && !readRange(rest, reversed)) {
        return;
      }
    }
  }

  private PathRange behind(PathRange range, Bound at, boolean reversed) {
    if (reversed) {
      return order.compare(at, range.end()) < 0 ? new PathRange(range.start(), at) : range;
    }
    return order.compare(at, range.start()) > 0 ? new PathRange(at, range.end()) : range;
  }

  private void readSuperColumnsBackwards(Optional<SlicePosition> from) throws IOException {
    Bound upper = Bound.END;
    if (from.isPresent()) {
      Bound at = from.get().at();
      if (!readRange(new PathRange(at, Bound.after(at.top())), false)) {
        return;
      }
      upper = Bound.before(at.top());
    }
    for (int i = slice.ranges().size() - 1; i >= 0; i--) {
      PathRange range = slice.ranges().get(i);
      Bound end = order.compare(upper, range.end()) < 0 ? upper : range.end();
      while (order.compare(range.start(), end) < 0) {
        Cell last = lastCell(new PathRange(range.start(), end));
        if (last == null) {
          break;
        }
        if (!readRange(PathRange.of(last.top()), false)) {
          return;
        }
        end = Bound.before(last.top());
      }
    }
  }

  private @Nullable Cell lastCell(PathRange range) throws IOException {
    AtomCursor cursor = row.open(range, true);
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      if (atom instanceof Cell cell) {
        return cell;
      }
      atomsPassed++;
    }
    return null;
  }

  /** Returns false when the turn ends within the range. */
  private boolean readRange(PathRange range, boolean reversed) throws IOException {
    AtomCursor cursor = row.open(range, reversed);
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      atomsPassed++;
      if (atom instanceof Cell cell && isLive(cell)) {
        if (!deliver(cell, reversed)) {
          return false;
        }
        continue;
      }
      tombstonesPassed++;
      if (atomsPassed >= budget.atoms()) {
        pauseAt(atom, reversed);
        return false;
      }
    }
    return true;
  }

  /**
   * The smallest timestamp stands for "not deleted" in super columns, and hides what was written at
   * it, as in the first Cassandra. In standard families it is a timestamp like any other.
   */
  private boolean isLive(Cell cell) {
    return cell.isLiveAt(nowSeconds) && (cell.timestamp() != Long.MIN_VALUE || !order.isSuper());
  }

  private boolean deliver(Cell cell, boolean reversed) {
    boolean newUnit = !slice.bySuperColumn() || !isCounted(cell.top());
    if (newUnit && counted == slice.limit()) {
      return false;
    }
    long cost = cell.payloadBytes() + (long) COLUMN_OVERHEAD_BYTES;
    boolean spent = deliveredBytes + cost > budget.bytes() || atomsPassed > budget.atoms();
    if (spent && lastDelivered != null) {
      Cell last = lastDelivered;
      next = new SlicePosition(reversed ? Bound.before(last) : Bound.after(last), true, counted);
      topContinues = slice.bySuperColumn() && order.sameTop(last, cell);
      return false;
    }
    if (keepCells) {
      cells.add(cell);
      deliveredBytes += cost;
    }
    delivered++;
    lastDelivered = cell;
    if (newUnit) {
      counted++;
      countedTop = cell.top();
    }
    return slice.bySuperColumn() || counted < slice.limit();
  }

  private boolean isCounted(byte[] top) {
    return countedTop != null
        && (countedTop == top || order.topType().compare(countedTop, top) == 0);
  }

  private void pauseAt(Atom atom, boolean reversed) {
    Bound at =
        atom instanceof Marker marker
            ? marker.bound()
            : reversed ? Bound.before((Cell) atom) : Bound.after((Cell) atom);
    next = new SlicePosition(at, isCounted(at.top()), counted);
    topContinues =
        slice.bySuperColumn() && lastDelivered != null && order.sameTop(lastDelivered, at);
  }
}
