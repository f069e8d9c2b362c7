package dev.colonnade.server.base.model;

import dev.colonnade.server.base.model.RangeTombstoneTree.Place;
import org.jspecify.annotations.Nullable;

/**
 * The places where the range deletion in force changes, from one bound on in one direction. Each
 * costs O(log n), however many deletions are hidden by stronger ones. For one thread.
 *
 * <p>Two disjoint deletions that meet end to end change in one place.
 */
final class RangeBoundaries {

  /** Of no deletions. Has no state that a walk would change. */
  static final RangeBoundaries NONE = new RangeBoundaries();

  private final boolean reversed;
  private final DeletionTime open;

  /** Places that are still to come, the next one last, each with the floor that holds there. */
  private final Place[] ahead;

  private final DeletionTime[] floors;
  private int depth;
  private DeletionTime inForce;

  /** Backwards: the nearest known place at which what is in force begins. */
  private @Nullable Bound begin;

  private RangeBoundaries() {
    this.reversed = false;
    this.open = DeletionTime.NONE;
    this.inForce = DeletionTime.NONE;
    this.ahead = new Place[0];
    this.floors = new DeletionTime[0];
  }

  RangeBoundaries(Place root, Bound from, boolean reversed, PathOrder order) {
    this.reversed = reversed;
    this.ahead = new Place[root.height];
    this.floors = new DeletionTime[root.height];
    DeletionTime around = DeletionTime.NONE;
    DeletionTime floor = DeletionTime.NONE;
    Place place = root;
    while (place != null) {
      floor = DeletionTime.max(floor, place.floor);
      int result = order.compare(place.from, from);
      boolean isBefore = reversed ? result < 0 : result <= 0;
      if (isBefore) {
        around = DeletionTime.max(floor, place.own);
      }
      if (isBefore == reversed) {
        push(place, floor);
      }
      place = isBefore ? place.right : place.left;
    }
    this.open = around;
    this.inForce = around;
  }

  /** The deletion in force where the walk began. */
  DeletionTime open() {
    return open;
  }

  /** The next change, or null when there is none. */
  @Nullable RangeTombstoneMarker next() {
    while (depth > 0) {
      Place place = ahead[--depth];
      DeletionTime floor = floors[depth];
      DeletionTime left = inForce;
      Bound at = reversed ? begin : place.from;
      inForce = DeletionTime.max(floor, place.own);
      begin = place.from;
      enter(reversed ? place.left : place.right, floor);
      if (at != null && !left.equals(inForce)) {
        return reversed
            ? new RangeTombstoneMarker(at, inForce, left)
            : new RangeTombstoneMarker(at, left, inForce);
      }
    }
    Bound last = begin;
    if (!reversed || last == null || inForce.isNone()) {
      return null;
    }
    DeletionTime left = inForce;
    inForce = DeletionTime.NONE;
    return new RangeTombstoneMarker(last, DeletionTime.NONE, left);
  }

  /** Pushes the places of a subtree that come first; a part in which nothing changes is skipped. */
  private void enter(@Nullable Place subtree, DeletionTime floorAbove) {
    Place place = subtree;
    DeletionTime floor = floorAbove;
    while (place != null) {
      if (place.isAll(inForce, floor)) {
        begin = place.first();
        return;
      }
      floor = DeletionTime.max(floor, place.floor);
      push(place, floor);
      place = reversed ? place.right : place.left;
    }
  }

  private void push(Place place, DeletionTime floor) {
    ahead[depth] = place;
    floors[depth++] = floor;
  }
}
