package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeFragmenter;
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
    // Where the deletion in force differs from the one that the replica knows.
    List<RangeTombstone> ranges =
        RangeFragmenter.overlay(
            all.ranges(),
            known.ranges(),
            order,
            (there, its) -> there.equals(its) ? DeletionTime.NONE : there);
    List<Cell> cells = cells(order, all.cells(), known.cells());
    return RowUpdate.ofCanonical(rowDeletion, ranges, cells);
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
