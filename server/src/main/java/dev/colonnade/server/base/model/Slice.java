package dev.colonnade.server.base.model;

import java.util.List;

/**
 * Selects cells of a row: which ones, in which direction, and how many.
 *
 * @param ranges disjoint, ascending in path order whatever the direction; none selects nothing
 * @param reversed read from the last range's end to the first range's start. Columns inside a super
 *     column come ascending nevertheless when {@code bySuperColumn} is set
 * @param bySuperColumn the rows are of a Super family and {@code limit} counts super columns, which
 *     come whole
 * @param limit the most live columns (or super columns with a live column); {@link Long#MAX_VALUE}
 *     for all
 */
public record Slice(List<PathRange> ranges, boolean reversed, boolean bySuperColumn, long limit) {

  /** Copies the list. */
  public Slice {
    ranges = List.copyOf(ranges);
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative: " + limit);
    }
  }

  /** Returns the same slice with this limit, unless its own is smaller. */
  public Slice atMost(long newLimit) {
    return new Slice(ranges, reversed, bySuperColumn, Math.min(limit, newLimit));
  }

  /** Whether it selects single columns only, so that a deletion matters only over them. */
  public boolean isOfColumns(PathOrder order) {
    for (PathRange range : ranges) {
      if (!range.isOneColumn(order)) {
        return false;
      }
    }
    return !ranges.isEmpty();
  }
}
