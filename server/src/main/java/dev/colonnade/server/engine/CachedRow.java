package dev.colonnade.server.engine;

import dev.colonnade.server.model.PathOrder;
import dev.colonnade.server.model.RowState;
import dev.colonnade.server.model.RowUpdate;
import org.jspecify.annotations.Nullable;

/**
 * What the row cache holds for a key: the whole row, or the knowledge that it is too large to be
 * held, which spares every read of a wide row the attempt to load it.
 *
 * @param whole null if the row is too large
 */
record CachedRow(@Nullable RowState whole) {

  /** Rows beyond this are not kept whole; slices of them are served by the block cache. */
  static final int BYTES_MAX = 1 << 20;

  static final CachedRow TOO_LARGE = new CachedRow(null);

  /** This row after a write to it. */
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
