package dev.colonnade.server.base.model;

import org.jspecify.annotations.Nullable;

/** The place of a cell without the cell. Immutable; arrays are shared, not copied. */
final class CellName implements Position {
  private final byte[] top;
  private final byte @Nullable [] sub;

  CellName(byte[] top, byte @Nullable [] sub) {
    this.top = top;
    this.sub = sub;
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
    return 0;
  }
}
