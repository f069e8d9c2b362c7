package dev.colonnade.server.model;

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
  private final TreeCursor<RangeDeletion> cursor;
  private final DeletionTime open;
  private @Nullable RangeDeletion current;
  private @Nullable RangeDeletion upcoming;

  RangeBoundaries(SortedTree<RangeDeletion> tree, Bound from, boolean reversed, PathOrder order) {
    this.reversed = reversed;
    this.order = order;
    RangeDeletion around = reversed ? covering(tree, from, order) : containing(tree, from, order);
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
  private static @Nullable RangeDeletion containing(
      SortedTree<RangeDeletion> tree, Bound from, PathOrder order) {
    RangeDeletion last = tree.cursor(from, true, order).next();
    return last != null && order.compare(from, last.end()) < 0 ? last : null;
  }

  /** The one with start < from <= end. */
  private static @Nullable RangeDeletion covering(
      SortedTree<RangeDeletion> tree, Bound from, PathOrder order) {
    TreeCursor<RangeDeletion> cursor = tree.cursor(from, true, order);
    RangeDeletion last = cursor.next();
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
  @Nullable Marker next() {
    RangeDeletion leaving = current;
    RangeDeletion entering = upcoming;
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

  private void advanceTo(RangeDeletion entered) {
    current = entered;
    upcoming = cursor.next();
  }

  private Bound near(RangeDeletion range) {
    return reversed ? range.end() : range.start();
  }

  private Bound far(RangeDeletion range) {
    return reversed ? range.start() : range.end();
  }

  private Marker marker(Bound at, DeletionTime closed, DeletionTime opened) {
    return reversed ? new Marker(at, opened, closed) : new Marker(at, closed, opened);
  }
}
