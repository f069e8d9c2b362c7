package dev.colonnade.server.base.model;

import org.jspecify.annotations.Nullable;

/**
 * A place where the deletion in force changes. Both sides are given, so that a sequence reads the
 * same backwards.
 *
 * @param bound where it changes
 * @param before in force on the side of smaller positions
 * @param after in force on the side of greater positions
 */
public record RangeTombstoneMarker(Bound bound, DeletionTime before, DeletionTime after)
    implements Atom {

  /** The deletion that ends for a reader that passes this marker. */
  public DeletionTime closed(boolean reversed) {
    return reversed ? after : before;
  }

  /** The deletion that begins for a reader that passes this marker. */
  public DeletionTime opened(boolean reversed) {
    return reversed ? before : after;
  }

  @Override
  public byte[] top() {
    return bound.top();
  }

  @Override
  public byte @Nullable [] sub() {
    return bound.sub();
  }

  @Override
  public int weight() {
    return bound.weight();
  }
}
