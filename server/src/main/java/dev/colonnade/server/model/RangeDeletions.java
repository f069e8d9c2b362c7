package dev.colonnade.server.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The range deletions of one row, kept canonical: disjoint, the strongest wins where they overlap,
 * equal neighbours joined. Persistent like {@link SortedTree}: adding one costs O(log n) plus what
 * it overlaps.
 *
 * <p>Immutable, thread-safe.
 */
final class RangeDeletions {

  /** Rough cost of two bounds, their arrays, the deletion and a share of the tree. */
  private static final long OVERHEAD_BYTES = 240;

  static final RangeDeletions EMPTY = new RangeDeletions(SortedTree.empty(), 0);

  private final SortedTree<RangeDeletion> tree;

  private final long heapBytes;

  private RangeDeletions(SortedTree<RangeDeletion> tree, long heapBytes) {
    this.tree = tree;
    this.heapBytes = heapBytes;
  }

  boolean isEmpty() {
    return tree.isEmpty();
  }

  int size() {
    return tree.size();
  }

  /** About how much heap they take, names included. */
  long heapBytes() {
    return heapBytes;
  }

  /** Ascending. */
  List<RangeDeletion> toList() {
    if (tree.isEmpty()) {
      return List.of();
    }
    List<RangeDeletion> all = new ArrayList<>(tree.size());
    tree.addAllTo(all);
    return List.copyOf(all);
  }

  /** With one more deletion. */
  RangeDeletions add(RangeDeletion added, PathOrder order) {
    List<RangeDeletion> touched = touchedBy(added, order);
    if (touched.isEmpty()) {
      return new RangeDeletions(
          tree.put(added, order, (older, newer) -> newer), heapBytes + heapBytesOf(added));
    }
    SortedTree<RangeDeletion> changed = tree;
    long bytes = heapBytes;
    for (RangeDeletion old : touched) {
      changed = changed.remove(old, order);
      bytes -= heapBytesOf(old);
    }
    for (RangeDeletion piece : joined(overlaid(touched, added, order), order)) {
      changed = changed.put(piece, order, (older, newer) -> newer);
      bytes += heapBytesOf(piece);
    }
    return new RangeDeletions(changed, bytes);
  }

  private static long heapBytesOf(RangeDeletion range) {
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

  /** Those that overlap {@code added} or meet it end to end, ascending. */
  private List<RangeDeletion> touchedBy(RangeDeletion added, PathOrder order) {
    List<RangeDeletion> touched = new ArrayList<>(2);
    TreeCursor<RangeDeletion> before = tree.cursor(added.start(), true, order);
    for (RangeDeletion old = before.next(); old != null; old = before.next()) {
      if (order.compare(old.end(), added.start()) < 0) {
        break;
      }
      touched.add(0, old);
    }
    TreeCursor<RangeDeletion> after = tree.cursor(added.start(), false, order);
    for (RangeDeletion old = after.next(); old != null; old = after.next()) {
      if (order.compare(old.start(), added.end()) > 0) {
        break;
      }
      // One that starts at the same bound was met on the way back already.
      if (order.compare(old.start(), added.start()) > 0) {
        touched.add(old);
      }
    }
    return touched;
  }

  private static List<RangeDeletion> overlaid(
      List<RangeDeletion> touched, RangeDeletion added, PathOrder order) {
    List<RangeDeletion> pieces = new ArrayList<>();
    Bound reached = added.start();
    for (RangeDeletion old : touched) {
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
      List<RangeDeletion> pieces, Bound from, Bound to, DeletionTime deletion, PathOrder order) {
    if (order.compare(from, to) < 0) {
      pieces.add(new RangeDeletion(from, to, deletion));
    }
  }

  private static List<RangeDeletion> joined(List<RangeDeletion> pieces, PathOrder order) {
    List<RangeDeletion> joined = new ArrayList<>(pieces.size());
    for (RangeDeletion piece : pieces) {
      int last = joined.size() - 1;
      if (last >= 0
          && joined.get(last).deletion().equals(piece.deletion())
          && order.compare(joined.get(last).end(), piece.start()) == 0) {
        joined.set(
            last, new RangeDeletion(joined.get(last).start(), piece.end(), piece.deletion()));
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
