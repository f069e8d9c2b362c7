package dev.colonnade.server.compaction;

import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.RowKey;

/**
 * Decides what a merge may drop for good. A deletion goes when it is older than gc grace, so that
 * every replica has had the time to hear of it, and when nothing outside of the merge can hold what
 * it hides. For one merge; one thread at a time.
 */
final class Purger {

  private final MergeRequest.Outside outside;
  private final long nowSeconds;
  private final long gcBeforeSeconds;
  private long purgeableBelow;

  Purger(MergeRequest request) {
    this.outside = request.outside();
    this.nowSeconds = request.nowSeconds();
    this.gcBeforeSeconds = request.nowSeconds() - request.gcGraceSeconds();
  }

  /** Goes on to another row. */
  void row(RowKey key) {
    purgeableBelow = outside.minTimestamp(key);
  }

  /** Whether a deletion may go. */
  boolean drops(DeletionTime deletion) {
    return deletion.deletedAtSeconds() < gcBeforeSeconds && deletion.timestamp() < purgeableBelow;
  }

  /** The deletion, or none if it may go. */
  DeletionTime keep(DeletionTime deletion) {
    return deletion.isNone() || drops(deletion) ? DeletionTime.NONE : deletion;
  }

  /**
   * A cell whose value has expired becomes the deletion that it counts as: the value is not needed
   * any more, but what it hides must stay hidden.
   */
  Cell age(Cell cell) {
    boolean expired = cell.kind() == Cell.Kind.EXPIRING && !cell.isLiveAt(nowSeconds);
    return expired ? Cell.deleted(cell.top(), cell.sub(), cell.asDeletion()) : cell;
  }
}
