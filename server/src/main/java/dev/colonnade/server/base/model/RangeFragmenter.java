package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes range deletions canonical: disjoint, ascending, the strongest where they overlap, equal
 * neighbours joined. One sweep over the sorted deletions, in O(n log n), or over two canonical
 * lists side by side, in O(n). For one thread and one set of deletions.
 */
public final class RangeFragmenter {

  private static final Comparator<RangeTombstone> STRONGEST_FIRST =
      Comparator.comparing(RangeTombstone::deletion).reversed();

  private final PathOrder order;
  private final List<RangeTombstone> fragments;

  /** Those that begin at or before the place that is reached; may have ended. */
  private final PriorityQueue<RangeTombstone> begun = new PriorityQueue<>(STRONGEST_FIRST);

  /** The last fragment, which may go on. */
  private @Nullable RangeTombstone last;

  private RangeFragmenter(PathOrder order, int sizeHint) {
    this.order = order;
    this.fragments = new ArrayList<>(sizeHint);
  }

  /** Returns the same deletions in canonical form. Those of nothing leave no trace. */
  public static List<RangeTombstone> canonical(List<RangeTombstone> ranges, PathOrder order) {
    return isCanonical(ranges, order)
        ? ranges
        : new RangeFragmenter(order, ranges.size()).sweep(ranges);
  }

  /**
   * Lays canonical deletions over others, and decides for each part of the first.
   *
   * @param rule what is left where both are in force, or the first and {@link DeletionTime#NONE}
   */
  public static List<RangeTombstone> overlay(
      List<RangeTombstone> ranges,
      List<RangeTombstone> others,
      PathOrder order,
      BinaryOperator<DeletionTime> rule) {
    RangeFragmenter result = new RangeFragmenter(order, ranges.size());
    int next = 0;
    for (RangeTombstone range : ranges) {
      Bound reached = range.start();
      while (order.compare(reached, range.end()) < 0) {
        while (next < others.size() && order.compare(others.get(next).end(), reached) <= 0) {
          next++;
        }
        RangeTombstone other = next < others.size() ? others.get(next) : null;
        Bound end = range.end();
        DeletionTime under = DeletionTime.NONE;
        if (other != null) {
          boolean isBehind = order.compare(other.start(), reached) > 0;
          under = isBehind ? under : other.deletion();
          Bound edge = isBehind ? other.start() : other.end();
          end = order.compare(edge, end) < 0 ? edge : end;
        }
        DeletionTime left = rule.apply(range.deletion(), under);
        if (!left.isNone()) {
          result.add(reached, end, left);
        }
        reached = end;
      }
    }
    return result.all();
  }

  private static boolean isCanonical(List<RangeTombstone> ranges, PathOrder order) {
    RangeTombstone previous = null;
    for (RangeTombstone range : ranges) {
      if (range.deletion().isNone() || order.compare(range.start(), range.end()) >= 0) {
        return false;
      }
      if (previous != null) {
        int gap = order.compare(previous.end(), range.start());
        if (gap > 0 || (gap == 0 && previous.deletion().equals(range.deletion()))) {
          return false;
        }
      }
      previous = range;
    }
    return true;
  }

  private List<RangeTombstone> sweep(List<RangeTombstone> ranges) {
    List<RangeTombstone> sorted = new ArrayList<>(ranges.size());
    for (RangeTombstone range : ranges) {
      if (!range.deletion().isNone() && order.compare(range.start(), range.end()) < 0) {
        sorted.add(range);
      }
    }
    sorted.sort((a, b) -> order.compare(a.start(), b.start()));
    Bound reached = Bound.START;
    for (RangeTombstone range : sorted) {
      reached = advance(reached, range.start());
      begun.add(range);
    }
    advance(reached, Bound.END);
    return all();
  }

  private List<RangeTombstone> all() {
    if (last != null) {
      fragments.add(last);
    }
    return List.copyOf(fragments);
  }

  /** Adds what is in force between two bounds; returns the second. */
  private Bound advance(Bound from, Bound to) {
    Bound reached = from;
    RangeTombstone strongest = begun.peek();
    while (strongest != null && order.compare(reached, to) < 0) {
      if (order.compare(strongest.end(), reached) <= 0) {
        begun.remove();
      } else {
        Bound end = order.compare(strongest.end(), to) < 0 ? strongest.end() : to;
        add(reached, end, strongest.deletion());
        reached = end;
      }
      strongest = begun.peek();
    }
    return to;
  }

  private void add(Bound from, Bound to, DeletionTime deletion) {
    RangeTombstone before = last;
    Bound start = from;
    if (before != null) {
      if (before.deletion().equals(deletion) && order.compare(before.end(), from) == 0) {
        start = before.start();
      } else {
        fragments.add(before);
      }
    }
    last = new RangeTombstone(start, to, deletion);
  }
}
