package dev.colonnade.server.base.model;

import org.jspecify.annotations.Nullable;

/**
 * The places where the range deletion in force changes, from one bound on in one direction. For one
 * thread.
 *
 * <p>Two disjoint deletions that meet end to end change in one place.
 */
final class RangeBoundaries {

  private final boolean reversed;
  private final PathOrder order;
  private final TreeCursor<RangeTombstone> cursor;
  private final DeletionTime open;
  private @Nullable RangeTombstone current;
  private @Nullable RangeTombstone upcoming;

  RangeBoundaries(SortedTree<RangeTombstone> tree, Bound from, boolean reversed, PathOrder order) {
    this.reversed = reversed;
    this.order = order;
    RangeTombstone around = reversed ? covering(tree, from, order) : containing(tree, from, order);
    this.current = around;
    this.open = around == null ? DeletionTime.NONE : around.deletion();
    this.cursor = tree.cursor(from, reversed, order);
    this.upcoming = cursor.next();
    // The first may be the one around the start, or, backwards, one that only begins there.
    if (upcoming != null
        && order.compare(upcoming.start(), from) == 0
        && (reversed || around != null)) {
      this.upcoming = cursor.next();
    }
    if (upcoming != null && around != null && upcoming.start().equals(around.start())) {
      this.upcoming = cursor.next();
    }
  }

  /** The one with start <= from < end. */
  private static @Nullable RangeTombstone containing(
      SortedTree<RangeTombstone> tree, Bound from, PathOrder order) {
    RangeTombstone last = tree.cursor(from, true, order).next();
    return last != null && order.compare(from, last.end()) < 0 ? last : null;
  }

  /** The one with start < from <= end. */
  private static @Nullable RangeTombstone covering(
      SortedTree<RangeTombstone> tree, Bound from, PathOrder order) {
    TreeCursor<RangeTombstone> cursor = tree.cursor(from, true, order);
    RangeTombstone last = cursor.next();
    if (last != null && order.compare(last.start(), from) == 0) {
      last = cursor.next();
    }
    return last != null && order.compare(from, last.end()) <= 0 ? last : null;
  }

  /** The deletion in force where the walk began. */
  DeletionTime open() {
    return open;
  }

  /** The next change, or null when there is none. */
  @Nullable RangeTombstoneMarker next() {
    RangeTombstone leaving = current;
    RangeTombstone entering = upcoming;
    if (leaving == null) {
      if (entering == null) {
        return null;
      }
      advanceTo(entering);
      return marker(near(entering), DeletionTime.NONE, entering.deletion());
    }
    Bound edge = far(leaving);
    if (entering != null && order.compare(near(entering), edge) == 0) {
      advanceTo(entering);
      return marker(edge, leaving.deletion(), entering.deletion());
    }
    current = null;
    return marker(edge, leaving.deletion(), DeletionTime.NONE);
  }

  private void advanceTo(RangeTombstone entered) {
    current = entered;
    upcoming = cursor.next();
  }

  private Bound near(RangeTombstone range) {
    return reversed ? range.end() : range.start();
  }

  private Bound far(RangeTombstone range) {
    return reversed ? range.start() : range.end();
  }

  private RangeTombstoneMarker marker(Bound at, DeletionTime closed, DeletionTime opened) {
    return reversed
        ? new RangeTombstoneMarker(at, opened, closed)
        : new RangeTombstoneMarker(at, closed, opened);
  }
}
