package dev.colonnade.server.base.model;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A place between cells: before or after a column, a super column with all its columns, or the
 * whole row.
 */
public final class Bound implements Position {

  private static final byte[] NO_NAME = new byte[0];

  /** Before everything in the row. */
  public static final Bound START = new Bound(NO_NAME, null, -2);

  /** After everything in the row. */
  public static final Bound END = new Bound(NO_NAME, null, 2);

  private final byte[] top;
  private final byte @Nullable [] sub;
  private final int weight;

  private Bound(byte[] top, byte @Nullable [] sub, int weight) {
    this.top = top;
    this.sub = sub;
    this.weight = weight;
  }

  /** Before the column {@code top}, or before all columns of the super column {@code top}. */
  public static Bound before(byte[] top) {
    return new Bound(top, null, -1);
  }

  /** After the column {@code top}, or after all columns of the super column {@code top}. */
  public static Bound after(byte[] top) {
    return new Bound(top, null, 1);
  }

  /**
   * Before the column {@code sub} of the super column {@code top}; {@code sub} null as in {@link
   * #before(byte[])}.
   */
  public static Bound before(byte[] top, byte @Nullable [] sub) {
    return new Bound(top, sub, -1);
  }

  /**
   * After the column {@code sub} of the super column {@code top}; {@code sub} null as in {@link
   * #after(byte[])}.
   */
  public static Bound after(byte[] top, byte @Nullable [] sub) {
    return new Bound(top, sub, 1);
  }

  /** Just before that cell. */
  public static Bound before(Cell cell) {
    return new Bound(cell.top(), cell.sub(), -1);
  }

  /** Just after that cell. */
  public static Bound after(Cell cell) {
    return new Bound(cell.top(), cell.sub(), 1);
  }

  @Override
  public byte[] top() {
    return top;
  }

  @Override
  public byte @Nullable [] sub() {
    return sub;
  }

  @Override
  public int weight() {
    return weight;
  }

  /** Equal as bytes, which is stricter than equal in the row's order. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Bound that
        && weight == that.weight
        && Arrays.equals(top, that.top)
        && Arrays.equals(sub, that.sub);
  }

  @Override
  public int hashCode() {
    return (Arrays.hashCode(top) * 31 + Arrays.hashCode(sub)) * 31 + weight;
  }

  @Override
  public String toString() {
    if (weight == -2) {
      return "start of row";
    }
    if (weight == 2) {
      return "end of row";
    }
    HexFormat hex = HexFormat.of();
    String path = hex.formatHex(top) + (sub == null ? "" : "/" + hex.formatHex(sub));
    return (weight < 0 ? "before " : "after ") + path;
  }
}
