package dev.colonnade.server.model;

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
}
