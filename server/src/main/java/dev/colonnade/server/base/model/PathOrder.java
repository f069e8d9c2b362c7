package dev.colonnade.server.base.model;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The order of a column family's cells and bounds, made of its one or two name types.
 *
 * @param topType orders columns (Standard) or super columns (Super)
 * @param subType orders columns inside super columns; null in a Standard family
 */
public record PathOrder(ColumnComparator topType, @Nullable ColumnComparator subType)
    implements Comparator<Position> {

  /** Whether rows hold super columns. */
  public boolean isSuper() {
    return subType != null;
  }

  /** The type of the names of the leaves: subcolumns in a Super family, else columns. */
  public ColumnComparator leafType() {
    return subType != null ? subType : topType;
  }

  @Override
  public int compare(Position a, Position b) {
    int aWeight = a.weight();
    int bWeight = b.weight();
    if (aWeight == -2 || aWeight == 2 || bWeight == -2 || bWeight == 2) {
      int aEnd = aWeight / 2;
      int bEnd = bWeight / 2;
      return Integer.compare(aEnd, bEnd);
    }
    int byTop = topType.compare(a.top(), b.top());
    if (byTop != 0 || subType == null) {
      return byTop != 0 ? byTop : Integer.compare(aWeight, bWeight);
    }
    byte[] aSub = a.sub();
    byte[] bSub = b.sub();
    if (aSub == null) {
      // A bound around a whole super column: compared with another such bound by weight, else it
      // lies outside the super column's columns.
      return bSub == null ? Integer.compare(aWeight, bWeight) : aWeight;
    }
    if (bSub == null) {
      return -bWeight;
    }
    int bySub = subType.compare(aSub, bSub);
    return bySub != 0 ? bySub : Integer.compare(aWeight, bWeight);
  }

  /** Whether both lie under the same column (Standard) or super column (Super). */
  public boolean sameTop(Position a, Position b) {
    return a.top() == b.top() || topType.compare(a.top(), b.top()) == 0;
  }

  /**
   * Returns an expired cell without its value and in canonical spelling. All replicas agree on it,
   * also if a compaction dropped the value before it met another version: of those that expired at
   * one moment, the one that stood may have been spelled differently.
   */
  public Cell withoutValue(Cell expired) {
    Bound path = canonical(Bound.before(expired.top(), expired.sub()));
    return Cell.expired(path.top(), path.sub(), expired.timestamp(), expired.localSeconds());
  }

  /** Returns the same place in its canonical spelling. */
  public Bound canonical(Bound bound) {
    if (bound.weight() == Bound.START.weight() || bound.weight() == Bound.END.weight()) {
      return bound;
    }
    byte[] top = bound.top();
    byte[] sub = bound.sub();
    byte[] canonicalTop = topType.canonical(top);
    byte[] canonicalSub = sub == null || subType == null ? sub : subType.canonical(sub);
    if (canonicalTop == top && canonicalSub == sub) {
      return bound;
    }
    return bound.weight() < 0
        ? Bound.before(canonicalTop, canonicalSub)
        : Bound.after(canonicalTop, canonicalSub);
  }
}
