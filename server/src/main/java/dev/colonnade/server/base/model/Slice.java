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
 * @param minTimestamp selects only columns whose newest version has this timestamp or a greater
 *     one; {@link Long#MIN_VALUE} for all. The limit counts what passes. Of two versions the
 *     greater timestamp wins, and a deletion hides nothing newer than itself, so what is older than
 *     this never decides what the slice shows: a reader may leave it out before versions are
 *     compared, a replica need not send it, and a file without anything newer need not be opened
 */
public record Slice(
    List<PathRange> ranges,
    boolean reversed,
    boolean bySuperColumn,
    long limit,
    long minTimestamp) {

  /** Copies the list. */
  public Slice {
    ranges = List.copyOf(ranges);
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative: " + limit);
    }
  }

  /** Selects columns of any timestamp. */
  public Slice(List<PathRange> ranges, boolean reversed, boolean bySuperColumn, long limit) {
    this(ranges, reversed, bySuperColumn, limit, Long.MIN_VALUE);
  }

  /** Returns the same slice with this limit, unless its own is smaller. */
  public Slice atMost(long newLimit) {
    return new Slice(ranges, reversed, bySuperColumn, Math.min(limit, newLimit), minTimestamp);
  }

  /** Returns the same slice of the columns that have this timestamp or a greater one. */
  public Slice since(long timestamp) {
    return new Slice(ranges, reversed, bySuperColumn, limit, timestamp);
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
