package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The range deletions of one row, kept canonical: disjoint, the strongest wins where they overlap,
 * equal neighbours joined. Persistent like {@link SortedTree}: adding one costs O(log n) plus what
 * it overlaps.
 *
 * <p>Immutable, thread-safe.
 */
final class RangeTombstoneList {

  /** Rough cost of two bounds, their arrays, the deletion and a share of the tree. */
  private static final long OVERHEAD_BYTES = 240;

  static final RangeTombstoneList EMPTY = new RangeTombstoneList(SortedTree.empty(), 0);

  private final SortedTree<RangeTombstone> tree;

  private final long heapBytes;

  private RangeTombstoneList(SortedTree<RangeTombstone> tree, long heapBytes) {
    this.tree = tree;
    this.heapBytes = heapBytes;
  }

  boolean isEmpty() {
    return tree.isEmpty();
  }

  int size() {
    return tree.size();
  }

  /** About how much heap the deletions take, names included. */
  long heapBytes() {
    return heapBytes;
  }

  /** Ascending. */
  List<RangeTombstone> toList() {
    if (tree.isEmpty()) {
      return List.of();
    }
    List<RangeTombstone> all = new ArrayList<>(tree.size());
    tree.addAllTo(all);
    return List.copyOf(all);
  }

  /** Returns this list with one more deletion. */
  RangeTombstoneList add(RangeTombstone added, PathOrder order) {
    List<RangeTombstone> touched = touchedBy(added, order);
    if (touched.isEmpty()) {
      return new RangeTombstoneList(
          tree.put(added, order, (older, newer) -> newer), heapBytes + heapBytesOf(added));
    }
    SortedTree<RangeTombstone> changed = tree;
    long bytes = heapBytes;
    for (RangeTombstone old : touched) {
      changed = changed.remove(old, order);
      bytes -= heapBytesOf(old);
    }
    for (RangeTombstone piece : joined(overlaid(touched, added, order), order)) {
      changed = changed.put(piece, order, (older, newer) -> newer);
      bytes += heapBytesOf(piece);
    }
    return new RangeTombstoneList(changed, bytes);
  }

  private static long heapBytesOf(RangeTombstone range) {
    return OVERHEAD_BYTES + nameBytes(range.start()) + nameBytes(range.end());
  }

  private static long nameBytes(Bound bound) {
    byte[] sub = bound.sub();
    return bound.top().length + (sub == null ? 0L : sub.length);
  }

  /** Walks boundaries from a bound. */
  RangeBoundaries boundaries(Bound from, boolean reversed, PathOrder order) {
    return new RangeBoundaries(tree, from, reversed, order);
  }

  /** The deletions that overlap {@code added} or meet it end to end, ascending. */
  private List<RangeTombstone> touchedBy(RangeTombstone added, PathOrder order) {
    List<RangeTombstone> touched = new ArrayList<>(2);
    TreeCursor<RangeTombstone> before = tree.cursor(added.start(), true, order);
    for (RangeTombstone old = before.next(); old != null; old = before.next()) {
      if (order.compare(old.end(), added.start()) < 0) {
        break;
      }
      touched.add(0, old);
    }
    TreeCursor<RangeTombstone> after = tree.cursor(added.start(), false, order);
    for (RangeTombstone old = after.next(); old != null; old = after.next()) {
      if (order.compare(old.start(), added.end()) > 0) {
        break;
      }
      // A deletion that starts at the same bound was met on the way back already.
      if (order.compare(old.start(), added.start()) > 0) {
        touched.add(old);
      }
    }
    return touched;
  }

  private static List<RangeTombstone> overlaid(
      List<RangeTombstone> touched, RangeTombstone added, PathOrder order) {
    List<RangeTombstone> pieces = new ArrayList<>();
    Bound reached = added.start();
    for (RangeTombstone old : touched) {
      if (order.compare(old.start(), added.start()) < 0) {
        addPiece(pieces, old.start(), min(old.end(), added.start(), order), old.deletion(), order);
      }
      Bound from = max(old.start(), added.start(), order);
      Bound to = min(old.end(), added.end(), order);
      addPiece(pieces, reached, min(from, added.end(), order), added.deletion(), order);
      addPiece(pieces, from, to, DeletionTime.max(old.deletion(), added.deletion()), order);
      addPiece(pieces, max(old.start(), added.end(), order), old.end(), old.deletion(), order);
      reached = max(reached, to, order);
    }
    addPiece(pieces, reached, added.end(), added.deletion(), order);
    return pieces;
  }

  private static void addPiece(
      List<RangeTombstone> pieces, Bound from, Bound to, DeletionTime deletion, PathOrder order) {
    if (order.compare(from, to) < 0) {
      pieces.add(new RangeTombstone(from, to, deletion));
    }
  }

  private static List<RangeTombstone> joined(List<RangeTombstone> pieces, PathOrder order) {
    List<RangeTombstone> joined = new ArrayList<>(pieces.size());
    for (RangeTombstone piece : pieces) {
      int last = joined.size() - 1;
      if (last >= 0
          && joined.get(last).deletion().equals(piece.deletion())
          && order.compare(joined.get(last).end(), piece.start()) == 0) {
        joined.set(
            last, new RangeTombstone(joined.get(last).start(), piece.end(), piece.deletion()));
      } else {
        joined.add(piece);
      }
    }
    return joined;
  }

  private static Bound min(Bound a, Bound b, PathOrder order) {
    return order.compare(a, b) <= 0 ? a : b;
  }

  private static Bound max(Bound a, Bound b, PathOrder order) {
    return order.compare(a, b) >= 0 ? a : b;
  }
}
