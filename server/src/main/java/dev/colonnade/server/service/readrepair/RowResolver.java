package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.CellList;
import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RangeTombstoneBuilder;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.ReadingOrder;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.SliceCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Resolves the answers of several replicas for a slice of one row. Thread-safe: it has no state.
 */
public final class RowResolver {

  private RowResolver() {}

  /**
   * Resolves one page.
   *
   * @param command the read that the replicas answered; its page is made here
   * @param answers at least one
   */
  public static ResolvedRow merge(
      PathOrder order, SliceCommand command, List<RowFragment> answers) {
    RowFragment merged = answers.get(0);
    List<RowUpdate> corrections = Collections.nCopies(answers.size(), RowUpdate.NOTHING);
    if (answers.size() > 1) {
      Optional<Bound> end = nearestEnd(order, command, answers);
      List<RowUpdate> parts = parts(order, command, answers, end);
      merged = new RowFragment(joined(order, command, parts), end);
      corrections = corrections(order, merged.atoms(), parts);
    }
    return new ResolvedRow(RowPage.of(live(order, command, merged)), merged, corrections);
  }

  private static Optional<Bound> nearestEnd(
      PathOrder order, SliceCommand command, List<RowFragment> answers) {
    ReadingOrder reading = ReadingOrder.of(order, command.slice());
    Optional<Bound> nearest = Optional.empty();
    for (RowFragment answer : answers) {
      Optional<Bound> end = answer.end();
      if (end.isPresent() && (nearest.isEmpty() || reading.compare(end.get(), nearest.get()) < 0)) {
        nearest = end;
      }
    }
    return nearest;
  }

  /** Cuts all answers off at one end. */
  private static List<RowUpdate> parts(
      PathOrder order, SliceCommand command, List<RowFragment> answers, Optional<Bound> end) {
    List<RowUpdate> parts = new ArrayList<>(answers.size());
    FragmentTrimmer clip = new FragmentTrimmer(order, command.slice(), end);
    for (RowFragment answer : answers) {
      parts.add(answer.end().equals(end) ? answer.atoms() : clip.apply(answer.atoms()));
    }
    return parts;
  }

  private static RowUpdate joined(PathOrder order, SliceCommand command, List<RowUpdate> parts) {
    List<AtomCursor> sources = new ArrayList<>(parts.size());
    for (RowUpdate part : parts) {
      sources.add(RowState.EMPTY.apply(part, order).cursor(PathRange.ALL, false, order));
    }
    AtomCursor cursor = MergingCursor.of(sources, order, false);
    RowUpdate.Builder row = RowUpdate.builder(order);
    RangeTombstoneBuilder open = new RangeTombstoneBuilder(Bound.START, cursor.open(), false);
    List<Cell> cells = new ArrayList<>();
    try {
      for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
        if (atom instanceof Cell cell) {
          cells.add(cell);
        } else {
          open.pass((RangeTombstoneMarker) atom, row);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("reading from memory cannot fail", e);
    }
    open.end(Bound.END, row);
    List<RangeTombstone> ranges = row.build().ranges();
    return RowUpdate.ofCanonical(
        cursor.rowDeletion(),
        command.slice().isOfColumns(order) ? withoutWritten(ranges, cells, order) : ranges,
        List.copyOf(cells));
  }

  /**
   * Drops range tombstones over a column that has a resolved cell: in a read by name that cell says
   * everything about the column.
   */
  private static List<RangeTombstone> withoutWritten(
      List<RangeTombstone> ranges, List<Cell> cells, PathOrder order) {
    List<RangeTombstone> kept = new ArrayList<>(ranges.size());
    int at = 0;
    for (RangeTombstone range : ranges) {
      while (at < cells.size() && order.compare(cells.get(at), range.start()) < 0) {
        at++;
      }
      if (at == cells.size() || order.compare(cells.get(at), range.end()) > 0) {
        kept.add(range);
      }
    }
    return kept;
  }

  private static List<RowUpdate> corrections(
      PathOrder order, RowUpdate merged, List<RowUpdate> parts) {
    List<RowUpdate> corrections = new ArrayList<>(parts.size());
    for (RowUpdate part : parts) {
      corrections.add(ReplicaDiff.of(order, merged, part));
    }
    return corrections;
  }

  private static LiveCells live(PathOrder order, SliceCommand command, RowFragment merged) {
    LiveCells live =
        new LiveCells(
            order,
            command.slice(),
            command.from(),
            command.bytes(),
            command.nowSeconds(),
            command.countOnly() ? null : new CellList());
    ReadingOrder reading = ReadingOrder.of(order, command.slice());
    boolean descending = command.slice().reversed() && !reading.topsReversed();
    boolean goesOn = command.slice().limit() > 0;
    for (Cell cell : inReadingOrder(merged.atoms().cells(), command, reading)) {
      if (live.isWanted(cell)) {
        goesOn = live.take(cell, descending, false);
      }
      if (!goesOn) {
        break;
      }
    }
    if (goesOn && merged.end().isPresent()) {
      Bound end = merged.end().get();
      byte[] top = live.countedTop();
      boolean wantsNoMore =
          live.isLimitReached() && (top == null || reading.compare(end, Bound.after(top)) >= 0);
      if (!wantsNoMore) {
        live.pauseAt(end);
      }
    }
    return live;
  }

  private static List<Cell> inReadingOrder(
      List<Cell> ascending, SliceCommand command, ReadingOrder reading) {
    if (!command.slice().reversed()) {
      return ascending;
    }
    List<Cell> cells = new ArrayList<>(ascending);
    Collections.reverse(cells);
    if (reading.topsReversed()) {
      cells.sort(reading);
    }
    return cells;
  }
}
