package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RowUpdate;
import java.util.ArrayList;
import java.util.List;

/** Computes what one replica lacks of the resolved data. */
final class ReplicaDiff {

  private ReplicaDiff() {}

  static RowUpdate of(PathOrder order, RowUpdate all, RowUpdate known) {
    DeletionTime rowDeletion =
        all.rowDeletion().equals(known.rowDeletion()) ? DeletionTime.NONE : all.rowDeletion();
    List<RangeTombstone> ranges = ranges(order, all.ranges(), known.ranges());
    List<Cell> cells = cells(order, all.cells(), known.cells());
    return RowUpdate.ofCanonical(rowDeletion, ranges, cells);
  }

  /** The intervals in which the deletion in force differs from the one the replica knows. */
  private static List<RangeTombstone> ranges(
      PathOrder order, List<RangeTombstone> all, List<RangeTombstone> known) {
    if (all.isEmpty()) {
      return List.of();
    }
    RowUpdate.Builder lacking = RowUpdate.builder(order);
    int first = 0;
    for (RangeTombstone range : all) {
      while (first < known.size() && order.compare(known.get(first).end(), range.start()) <= 0) {
        first++;
      }
      Bound reached = range.start();
      for (int i = first; i < known.size() && order.compare(reached, range.end()) < 0; i++) {
        RangeTombstone other = known.get(i);
        if (order.compare(other.start(), range.end()) >= 0) {
          break;
        }
        if (other.deletion().equals(range.deletion())) {
          lacking.deleteRange(new PathRange(reached, other.start()), range.deletion());
          reached = other.end();
        }
      }
      lacking.deleteRange(new PathRange(reached, range.end()), range.deletion());
    }
    return lacking.build().ranges();
  }

  private static List<Cell> cells(PathOrder order, List<Cell> all, List<Cell> known) {
    List<Cell> lacking = new ArrayList<>();
    int at = 0;
    for (Cell cell : all) {
      while (at < known.size() && order.compare(known.get(at), cell) < 0) {
        at++;
      }
      boolean isKnown = at < known.size() && known.get(at).equals(cell);
      if (!isKnown) {
        lacking.add(cell);
      }
    }
    return List.copyOf(lacking);
  }
}
