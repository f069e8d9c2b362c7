package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import org.jspecify.annotations.Nullable;

/**
 * What the row cache holds for a key: the whole row, or a mark that the row is too large to cache,
 * which saves every read of a wide row from trying to load it.
 *
 * @param whole null if the row is too large
 */
record CachedRow(@Nullable RowState whole) {

  /** Larger rows are not cached whole; the block cache serves slices of them. */
  static final int BYTES_MAX = 1 << 20;

  static final CachedRow TOO_LARGE = new CachedRow(null);

  /** Returns this row with a write applied to it. */
  CachedRow followed(RowUpdate update, PathOrder order) {
    if (whole == null) {
      return this;
    }
    RowState changed = whole.apply(update, order);
    return changed.heapBytes() > BYTES_MAX ? TOO_LARGE : new CachedRow(changed);
  }

  int weight() {
    return whole == null ? 0 : (int) Math.min(Integer.MAX_VALUE, whole.heapBytes());
  }
}
