package dev.colonnade.server.model;

import java.util.List;

/**
 * Which cells of a row are asked for, in which direction, and how many.
 *
 * @param ranges disjoint, ascending in path order whatever the direction; none asks for nothing
 * @param reversed read from the last range's end to the first range's start. Columns inside a super
 *     column come ascending all the same when {@code bySuperColumn} is set
 * @param bySuperColumn the rows are of a Super family and {@code limit} counts super columns, which
 *     come whole
 * @param limit how many live columns (or super columns with a live column) at most; {@link
 *     Long#MAX_VALUE} for all
 */
public record Slice(List<PathRange> ranges, boolean reversed, boolean bySuperColumn, long limit) {

  /** Copies the list. */
  public Slice {
    ranges = List.copyOf(ranges);
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative: " + limit);
    }
  }

  /** The same with no greater limit than that. */
  public Slice atMost(long newLimit) {
    return new Slice(ranges, reversed, bySuperColumn, Math.min(limit, newLimit));
  }

  /** Whether all that is asked for is single columns, so that a deletion matters only over them. */
  public boolean isOfColumns(PathOrder order) {
    for (PathRange range : ranges) {
      if (!range.isOneColumn(order)) {
        return false;
      }
    }
    return !ranges.isEmpty();
  }
}
