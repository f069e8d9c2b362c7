package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeFragmenter;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.ReadingOrder;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Cuts a replica's answer off at an end. For one read. */
final class FragmentTrimmer {

  /** Stands for what lies before the end. */
  private static final DeletionTime COVERED = new DeletionTime(0, 0);

  private final PathOrder order;
  private final ReadingOrder reading;
  private final Optional<Bound> end;

  FragmentTrimmer(PathOrder order, Slice slice, Optional<Bound> end) {
    this.order = order;
    this.reading = ReadingOrder.of(order, slice);
    this.end = end;
  }

  RowUpdate apply(RowUpdate atoms) {
    if (end.isEmpty()) {
      return atoms;
    }
    List<Cell> cells = new ArrayList<>(atoms.cells().size());
    for (Cell cell : atoms.cells()) {
      if (reading.compare(cell, end.get()) < 0) {
        cells.add(cell);
      }
    }
    return RowUpdate.ofCanonical(atoms.rowDeletion(), ranges(atoms), List.copyOf(cells));
  }

  private List<RangeTombstone> ranges(RowUpdate atoms) {
    if (atoms.ranges().isEmpty()) {
      return List.of();
    }
    List<RangeTombstone> covered = new ArrayList<>();
    for (PathRange part : reading.between(List.of(PathRange.ALL), Optional.empty(), end)) {
      covered.add(new RangeTombstone(part.start(), part.end(), COVERED));
    }
    return RangeFragmenter.overlay(
        atoms.ranges(),
        RangeFragmenter.canonical(covered, order),
        order,
        (deletion, cover) -> cover.isNone() ? DeletionTime.NONE : deletion);
  }
}
