package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.model.Position;
import org.jspecify.annotations.Nullable;

/** A position read from a block only to be compared, reused from one comparison to the next. */
final class SearchKey implements Position {
  private static final byte[] NOTHING = {};

  private byte[] top = NOTHING;
  private byte @Nullable [] sub;
  private int weight;

  SearchKey set(byte[] newTop, byte @Nullable [] newSub, int newWeight) {
    top = newTop;
    sub = newSub;
    weight = newWeight;
    return this;
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
}
