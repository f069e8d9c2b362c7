package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The merge rule applied in the most literal way, to compare with. */
final class PlainMerge {

  private PlainMerge() {}

  static List<Cell> cells(
      List<RowUpdate> updates, PathRange range, boolean reversed, PathOrder order) {
    DeletionTime row = DeletionTime.NONE;
    List<RangeTombstone> ranges = new ArrayList<>();
    Map<Position, Cell> newest = new TreeMap<>(order);
    for (RowUpdate update : updates) {
      row = DeletionTime.max(row, update.rowDeletion());
      ranges.addAll(update.ranges());
      for (Cell cell : update.cells()) {
        newest.merge(cell, cell, Reconcile::pick);
      }
    }
    List<Cell> visible = new ArrayList<>();
    for (Cell cell : newest.values()) {
      if (order.compare(range.start(), cell) < 0
          && order.compare(cell, range.end()) < 0
          && !row.hides(cell.timestamp())
          && !covering(ranges, cell, order).hides(cell.timestamp())) {
        visible.add(cell);
      }
    }
    if (reversed) {
      Collections.reverse(visible);
    }
    return visible;
  }

  static DeletionTime covering(List<RangeTombstone> ranges, Cell cell, PathOrder order) {
    DeletionTime strongest = DeletionTime.NONE;
    for (RangeTombstone range : ranges) {
      if (order.compare(range.start(), cell) < 0 && order.compare(cell, range.end()) < 0) {
        strongest = DeletionTime.max(strongest, range.deletion());
      }
    }
    return strongest;
  }
}
