package dev.colonnade.server.base.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The cells between two bounds, in path order whatever the direction of reading. */
public record PathRange(Bound start, Bound end) {

  /** The whole row. */
  public static final PathRange ALL = new PathRange(Bound.START, Bound.END);

  /** A whole column or super column. */
  public static PathRange of(byte[] top) {
    return new PathRange(Bound.before(top), Bound.after(top));
  }

  /** One column of a super column. */
  public static PathRange of(byte[] top, byte[] sub) {
    return new PathRange(Bound.before(top, sub), Bound.after(top, sub));
  }

  /** Whether this holds one column and nothing else. */
  public boolean isOneColumn(PathOrder order) {
    byte[] sub = start.sub();
    return start.weight() == -1
        && end.weight() == 1
        && (sub != null) == order.isSuper()
        && same(start.top(), end.top())
        && same(sub, end.sub());
  }

  private static boolean same(byte @Nullable [] a, byte @Nullable [] b) {
    return a == b || Arrays.equals(a, b);
  }
}
