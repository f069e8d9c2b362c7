package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.CellSink;
import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.PlainCells;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one turn of a slice of one row: live cells in reading order until the slice is complete or
 * the budget is spent. For one thread and one turn.
 */
final class SliceReader extends SliceWalk {

  private final RowCursorSource row;
  private final int atomsMax;
  private final LiveCells live;
  private int atomsPassed;
  private boolean begun;
  private long tombstonesPassed;

  /**
   * Prepares a turn.
   *
   * @param from where an earlier turn paused
   * @param cells takes the live cells; null to count only
   */
  SliceReader(
      PathOrder order,
      RowCursorSource row,
      Slice slice,
      Optional<SlicePosition> from,
      long nowSeconds,
      ReadBudget budget,
      @Nullable CellSink cells) {
    super(order, slice);
    this.row = row;
    this.atomsMax = budget.atoms();
    this.live = new LiveCells(order, slice, from, budget.bytes(), nowSeconds, cells);
  }

  /** What was found. */
  LiveCells live() {
    return live;
  }

  /** Cells and deletions, and what lookups count as. */
  int atomsPassed() {
    return atomsPassed;
  }

  long tombstonesPassed() {
    return tombstonesPassed;
  }

  @Override
  Optional<byte[]> stepBack(PathRange range) throws IOException {
    AtomCursor cursor = row.open(range, true);
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      if (atom instanceof Cell cell) {
        return Optional.of(cell.top());
      }
      atomsPassed++;
    }
    return Optional.empty();
  }

  @Override
  boolean hasEnded() {
    return false;
  }

  @Override
  boolean readRange(PathRange range, boolean reversed) throws IOException {
    if (begun && atomsPassed >= atomsMax) {
      live.pauseAt(reversed ? range.end() : range.start());
      return false;
    }
    begun = true;
    atomsPassed += WorkSteps.ATOMS_PER_LOOKUP;
    AtomCursor cursor = row.open(range, reversed);
    PlainCells plain = cursor.plain(Math.min(live.wantedInPlace(), atomsMax - atomsPassed));
    if (plain != null && live.takeAll(plain)) {
      atomsPassed += plain.count();
      return !live.isLimitReached();
    }
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      atomsPassed++;
      if (atom instanceof Cell cell && live.isWanted(cell)) {
        if (!live.take(cell, reversed, atomsPassed > atomsMax)) {
          return false;
        }
        continue;
      }
      if (!(atom instanceof Cell old && live.isLive(old))) {
        tombstonesPassed++;
      }
      if (atomsPassed >= atomsMax) {
        live.pauseAt(behind(atom, reversed));
        return false;
      }
    }
    return true;
  }

  /** The place that a reader has reached when it has passed the atom. */
  static Bound behind(Atom atom, boolean reversed) {
    if (atom instanceof RangeTombstoneMarker marker) {
      return marker.bound();
    }
    return reversed ? Bound.before((Cell) atom) : Bound.after((Cell) atom);
  }

  /** Opens cursors over one row, merged from its sources; a row that does not exist is empty. */
  interface RowCursorSource {

    /** A cursor over a range of the row. */
    AtomCursor open(PathRange range, boolean reversed) throws IOException;
  }
}
