package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The order in which a slice is read: ascending, descending, or super column by super column
 * descending with the columns of each ascending.
 *
 * <p>Immutable.
 */
public final class ReadingOrder implements Comparator<Position> {

  private final PathOrder order;
  private final boolean reversed;
  private final boolean topsReversed;

  private ReadingOrder(PathOrder order, boolean reversed, boolean topsReversed) {
    this.order = order;
    this.reversed = reversed;
    this.topsReversed = topsReversed;
  }

  /** Returns the reading order of a slice. */
  public static ReadingOrder of(PathOrder order, Slice slice) {
    return new ReadingOrder(order, slice.reversed(), slice.reversed() && slice.bySuperColumn());
  }

  /** Whether super columns come descending, and the columns of each ascending. */
  public boolean topsReversed() {
    return topsReversed;
  }

  @Override
  public int compare(Position a, Position b) {
    if (!topsReversed) {
      return reversed ? order.compare(b, a) : order.compare(a, b);
    }
    if (isEdge(a) || isEdge(b) || !order.sameTop(a, b)) {
      return order.compare(b, a);
    }
    return order.compare(a, b);
  }

  private static boolean isEdge(Position position) {
    return position.weight() == -2 || position.weight() == 2;
  }

  /**
   * Returns the parts of the ranges between two places of the reading, as path ranges, ascending.
   *
   * @param from empty for the beginning
   * @param to empty for the end
   */
  public List<PathRange> between(List<PathRange> ranges, Optional<Bound> from, Optional<Bound> to) {
    List<PathRange> rest = from.isEmpty() ? ranges : intersection(ranges, behind(from.get()));
    return to.isEmpty() ? rest : intersection(rest, upTo(to.get()));
  }

  /** The ranges that are read after a place. */
  private List<PathRange> behind(Bound from) {
    if (!topsReversed || isEdge(from)) {
      return List.of(reversed ? new PathRange(Bound.START, from) : new PathRange(from, Bound.END));
    }
    return List.of(
        new PathRange(Bound.START, Bound.before(from.top())),
        new PathRange(from, Bound.after(from.top())));
  }

  /** The ranges that are read before a place. */
  private List<PathRange> upTo(Bound to) {
    if (!topsReversed || isEdge(to)) {
      return List.of(reversed ? new PathRange(to, Bound.END) : new PathRange(Bound.START, to));
    }
    return List.of(
        new PathRange(Bound.before(to.top()), to), new PathRange(Bound.after(to.top()), Bound.END));
  }

  /** Both lists are ascending and disjoint. */
  private List<PathRange> intersection(List<PathRange> some, List<PathRange> others) {
    List<PathRange> common = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < some.size() && j < others.size()) {
      PathRange a = some.get(i);
      PathRange b = others.get(j);
      Bound start = order.compare(a.start(), b.start()) >= 0 ? a.start() : b.start();
      boolean aEndsFirst = order.compare(a.end(), b.end()) <= 0;
      Bound end = aEndsFirst ? a.end() : b.end();
      if (order.compare(start, end) < 0) {
        common.add(new PathRange(start, end));
      }
      if (aEndsFirst) {
        i++;
      } else {
        j++;
      }
    }
    return common;
  }
}
