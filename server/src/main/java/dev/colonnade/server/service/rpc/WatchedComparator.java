package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.InvalidNameException;
import dev.colonnade.server.base.model.PathOrder;

/**
 * Compares names for one call, and ends the call's work by throwing once its caller has gone:
 * sorting the names of a large request takes a second, and longer with a slow comparator of a
 * plug-in. For one thread and one call.
 */
final class WatchedComparator implements ColumnComparator {

  /** Some ten microseconds with the comparators of this project. */
  private static final int COMPARISONS_BETWEEN_LOOKS = 256;

  private final ColumnComparator comparator;
  private final CallContext call;
  private int sinceLook;

  private WatchedComparator(ColumnComparator comparator, CallContext call) {
    this.comparator = comparator;
    this.call = call;
  }

  /** Returns the same order, watched. */
  static PathOrder order(PathOrder order, CallContext call) {
    ColumnComparator subType = order.subType();
    return new PathOrder(
        new WatchedComparator(order.topType(), call),
        subType == null ? null : new WatchedComparator(subType, call));
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    if (++sinceLook >= COMPARISONS_BETWEEN_LOOKS) {
      sinceLook = 0;
      call.throwIfCancelled();
    }
    return comparator.compare(left, right);
  }

  @Override
  public String typeName() {
    return comparator.typeName();
  }

  @Override
  public void validate(byte[] name) throws InvalidNameException {
    comparator.validate(name);
  }

  @Override
  public String display(byte[] name) {
    return comparator.display(name);
  }

  @Override
  public byte[] parse(String text) throws InvalidNameException {
    return comparator.parse(text);
  }

  @Override
  public byte[] canonical(byte[] name) {
    return comparator.canonical(name);
  }
}
