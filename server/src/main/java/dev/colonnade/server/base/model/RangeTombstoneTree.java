package dev.colonnade.server.base.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The range deletions of one row: at each place the strongest one is in force. Persistent like
 * {@link SortedTree}. Adding a deletion costs O(log n), however many others it overlaps, and
 * whether it is stronger than they are or weaker. Reading costs O(log n) for each change of the
 * deletion in force.
 *
 * <p>A binary search tree, balanced by height, of the places where the deletion in force may
 * change. A deletion of a whole subtree is noted once, at its top, and reaches the nodes below when
 * they are copied for another reason; one that is stronger than all of the subtree takes its place.
 * So there may be places where nothing changes. Readers skip them, a subtree at a time, because
 * each node knows the weakest and the strongest deletion below it. There are never more places than
 * the deletions that came have bounds.
 *
 * <p>Refused: to keep the deletions disjoint, as a wide one may change as many gaps as there are
 * others; and to keep them as they came and sort them for each reader, which costs the reader of
 * three columns as much as a reader of the row.
 *
 * <p>Immutable, thread-safe.
 */
final class RangeTombstoneTree {

  /** Rough cost of a node, its bound with its arrays, and half of a deletion. */
  private static final long PLACE_BYTES = 120;

  /** By how much the heights of two neighbours may differ. */
  private static final int SKEW = 2;

  static final RangeTombstoneTree EMPTY = new RangeTombstoneTree(null);

  private final @Nullable Place root;

  private RangeTombstoneTree(@Nullable Place root) {
    this.root = root;
  }

  boolean isEmpty() {
    return root == null;
  }

  /** About how much heap the deletions take, names included. */
  long heapBytes() {
    return root == null ? 0 : root.bytes;
  }

  /** Walks boundaries from a bound. */
  RangeBoundaries boundaries(Bound from, boolean reversed, PathOrder order) {
    return root == null ? RangeBoundaries.NONE : new RangeBoundaries(root, from, reversed, order);
  }

  /**
   * Returns this tree with more deletions, in O(m log n) for m of them, and in O(m) if it is empty.
   *
   * @param added canonical, as in a {@link RowUpdate}; if they were made with another comparator,
   *     and are not, they are made so
   */
  RangeTombstoneTree addAll(List<RangeTombstone> added, PathOrder order) {
    if (added.isEmpty()) {
      return this;
    }
    List<RangeTombstone> canonical = RangeFragmenter.canonical(added, order);
    Place before = root;
    if (before != null) {
      canonical = canonical.stream().filter(range -> !before.hides(range, order)).toList();
    }
    return canonical.isEmpty()
        ? this
        : new RangeTombstoneTree(new Addition(canonical, order).to(before));
  }

  /** A place, and the deletion in force from there to the next place. */
  static final class Place {
    final @Nullable Place left;
    final @Nullable Place right;
    final Bound from;

    /** In force behind this place, unless a floor here or above is stronger. */
    final DeletionTime own;

    /** At least this is in force in all of this subtree. */
    final DeletionTime floor;

    final DeletionTime weakest;
    final DeletionTime strongest;
    final int height;
    final long bytes;

    Place(@Nullable Place left, Bound from, DeletionTime own, @Nullable Place right) {
      this.left = left;
      this.from = from;
      this.own = own;
      this.right = right;
      this.floor = DeletionTime.NONE;
      DeletionTime least = own;
      DeletionTime most = own;
      int below = 0;
      long all = PLACE_BYTES + nameBytes(from);
      if (left != null) {
        least = min(least, left.weakest);
        most = DeletionTime.max(most, left.strongest);
        below = left.height;
        all += left.bytes;
      }
      if (right != null) {
        least = min(least, right.weakest);
        most = DeletionTime.max(most, right.strongest);
        below = Math.max(below, right.height);
        all += right.bytes;
      }
      this.weakest = least;
      this.strongest = most;
      this.height = below + 1;
      this.bytes = all;
    }

    private Place(Place other, DeletionTime added) {
      this.left = other.left;
      this.from = other.from;
      this.own = other.own;
      this.right = other.right;
      this.floor = DeletionTime.max(other.floor, added);
      this.weakest = DeletionTime.max(other.weakest, added);
      this.strongest = DeletionTime.max(other.strongest, added);
      this.height = other.height;
      this.bytes = other.bytes;
    }

    /** This subtree with at least that deletion in force everywhere. */
    Place atLeast(DeletionTime deletion) {
      return weakest.compareTo(deletion) >= 0 ? this : new Place(this, deletion);
    }

    /** The same with the floor moved to this place and its two subtrees. */
    Place pushed() {
      if (floor.isNone()) {
        return this;
      }
      return new Place(
          left == null ? null : left.atLeast(floor),
          from,
          DeletionTime.max(own, floor),
          right == null ? null : right.atLeast(floor));
    }

    /** Whether exactly that is in force in all of this subtree, below that floor. */
    boolean isAll(DeletionTime deletion, DeletionTime floorAbove) {
      return DeletionTime.max(weakest, floorAbove).equals(deletion)
          && DeletionTime.max(strongest, floorAbove).equals(deletion);
    }

    /** Whether all that a deletion would delete is deleted at least as strongly. */
    boolean hides(RangeTombstone range, PathOrder order) {
      DeletionTime around = DeletionTime.NONE;
      DeletionTime floors = DeletionTime.NONE;
      Place place = this;
      while (place != null) {
        floors = DeletionTime.max(floors, place.floor);
        boolean isBefore = order.compare(place.from, range.start()) <= 0;
        around = isBefore ? DeletionTime.max(floors, place.own) : around;
        place = isBefore ? place.right : place.left;
      }
      return around.compareTo(range.deletion()) >= 0 && holds(this, range, order);
    }

    /** Whether at least that is in force behind all places within the range; O(log n). */
    private static boolean holds(@Nullable Place tree, RangeTombstone range, PathOrder order) {
      if (tree == null || tree.weakest.compareTo(range.deletion()) >= 0) {
        return true;
      }
      if (order.compare(tree.from, range.start()) <= 0) {
        return holds(tree.right, range, order);
      }
      if (order.compare(tree.from, range.end()) >= 0) {
        return holds(tree.left, range, order);
      }
      // No floor here or above is as strong, or the weakest of the subtree would be.
      return tree.own.compareTo(range.deletion()) >= 0
          && holds(tree.left, range, order)
          && holds(tree.right, range, order);
    }

    Bound first() {
      Place place = this;
      while (place.left != null) {
        place = place.left;
      }
      return place.from;
    }

    /** What is in force behind the last place. */
    DeletionTime last() {
      DeletionTime floors = floor;
      Place place = this;
      while (place.right != null) {
        place = place.right;
        floors = DeletionTime.max(floors, place.floor);
      }
      return DeletionTime.max(floors, place.own);
    }

    private static DeletionTime min(DeletionTime a, DeletionTime b) {
      return a.compareTo(b) <= 0 ? a : b;
    }

    private static long nameBytes(Bound bound) {
      byte[] sub = bound.sub();
      return bound.top().length + (sub == null ? 0L : sub.length);
    }
  }

  /** The places before a bound, and those from it on. */
  private record Split(@Nullable Place before, @Nullable Place from) {
    static final Split NOTHING = new Split(null, null);

    static Split at(@Nullable Place tree, Bound bound, PathOrder order) {
      if (tree == null) {
        return NOTHING;
      }
      Place top = tree.pushed();
      if (order.compare(top.from, bound) < 0) {
        Split right = at(top.right, bound, order);
        if (right.from == null) {
          return new Split(top, null);
        }
        return new Split(join(top.left, top.from, top.own, right.before), right.from);
      }
      Split left = at(top.left, bound, order);
      if (left.before == null) {
        return new Split(null, top);
      }
      return new Split(left.before, join(left.from, top.from, top.own, top.right));
    }
  }

  /** The first place of a tree, and the rest. */
  private record First(Bound from, DeletionTime own, @Nullable Place rest) {
    static First of(Place tree) {
      Place top = tree.pushed();
      if (top.left == null) {
        return new First(top.from, top.own, top.right);
      }
      First first = of(top.left);
      return new First(first.from, first.own, balanced(first.rest, top.from, top.own, top.right));
    }
  }

  /** One place between two trees of any heights. */
  private static Place join(
      @Nullable Place left, Bound from, DeletionTime own, @Nullable Place right) {
    int difference = height(left) - height(right);
    if (left != null && difference > SKEW) {
      Place top = left.pushed();
      return balanced(top.left, top.from, top.own, join(top.right, from, own, right));
    }
    if (right != null && difference < -SKEW) {
      Place top = right.pushed();
      return balanced(join(left, from, own, top.left), top.from, top.own, top.right);
    }
    return new Place(left, from, own, right);
  }

  /** One place between two trees of which one is too high by one. */
  private static Place balanced(
      @Nullable Place left, Bound from, DeletionTime own, @Nullable Place right) {
    int difference = height(left) - height(right);
    if (left != null && difference > SKEW) {
      Place top = left.pushed();
      if (height(top.left) >= height(top.right) || top.right == null) {
        return new Place(top.left, top.from, top.own, new Place(top.right, from, own, right));
      }
      Place middle = top.right.pushed();
      return new Place(
          new Place(top.left, top.from, top.own, middle.left),
          middle.from,
          middle.own,
          new Place(middle.right, from, own, right));
    }
    if (right != null && difference < -SKEW) {
      Place top = right.pushed();
      if (height(top.right) >= height(top.left) || top.left == null) {
        return new Place(new Place(left, from, own, top.left), top.from, top.own, top.right);
      }
      Place middle = top.left.pushed();
      return new Place(
          new Place(left, from, own, middle.left),
          middle.from,
          middle.own,
          new Place(middle.right, top.from, top.own, top.right));
    }
    return new Place(left, from, own, right);
  }

  private static int height(@Nullable Place tree) {
    return tree == null ? 0 : tree.height;
  }

  /** Two trees side by side, without the second one's first place if nothing changes there. */
  private static @Nullable Place side(@Nullable Place left, @Nullable Place right) {
    if (left == null || right == null) {
      return left == null ? right : left;
    }
    First first = First.of(right);
    if (!first.own.equals(left.last())) {
      return join(left, first.from, first.own, first.rest);
    }
    if (first.rest == null) {
      return left;
    }
    First second = First.of(first.rest);
    return join(left, second.from, second.own, second.rest);
  }

  /** Disjoint deletions, ascending, on their way into a tree. */
  private record Addition(List<RangeTombstone> added, PathOrder order) {

    @Nullable Place to(@Nullable Place tree) {
      return to(tree, 0, added.size(), DeletionTime.NONE, Bound.END);
    }

    /**
     * Adds the deletions from one index to another, exclusive, to the part of a tree that ends at a
     * bound. What follows has a place at that bound.
     */
    private @Nullable Place to(
        @Nullable Place tree, int from, int to, DeletionTime before, Bound end) {
      if (from == to) {
        return tree;
      }
      int middle = (from + to) >>> 1;
      RangeTombstone range = added.get(middle);
      Split start = Split.at(tree, range.start(), order);
      Split stop = Split.at(start.from, range.end(), order);
      DeletionTime atStart = start.before == null ? before : start.before.last();
      Place within = startingAt(range.start(), atStart, stop.before);
      DeletionTime atEnd = within.last();
      Place behind =
          order.compare(range.end(), end) < 0
              ? startingAt(range.end(), atEnd, stop.from)
              : stop.from;
      Place covered =
          within.strongest.compareTo(range.deletion()) <= 0
              ? new Place(null, range.start(), range.deletion(), null)
              : within.atLeast(range.deletion());
      return side(
          side(to(start.before, from, middle, before, range.start()), covered),
          to(behind, middle + 1, to, atEnd, end));
    }

    private Place startingAt(Bound at, DeletionTime inForce, @Nullable Place tree) {
      return tree != null && order.compare(tree.first(), at) == 0
          ? tree
          : join(null, at, inForce, tree);
    }
  }
}
