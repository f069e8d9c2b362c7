package dev.colonnade.server.compaction;

import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.RowKey;
import org.jspecify.annotations.Nullable;

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
   * What is kept of a cell; null if it may go. A value that has expired is not needed any more, but
   * what it hides must stay hidden, and it must not outdo what it would not have outdone before.
   */
  @Nullable Cell keep(Cell cell) {
    if (cell.isLiveAt(nowSeconds)) {
      return cell;
    }
    if (drops(cell.asDeletion())) {
      return null;
    }
    return cell.kind() == Cell.CellKind.EXPIRING && cell.hasValue()
        ? Cell.expired(cell.top(), cell.sub(), cell.timestamp(), cell.localSeconds())
        : cell;
  }
}
