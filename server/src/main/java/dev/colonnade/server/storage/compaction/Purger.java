package dev.colonnade.server.storage.compaction;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowKey;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a compaction may purge. A deletion is purged when it is older than gc grace, so that
 * every replica has had the time to hear of it, and when nothing outside of the compaction can hold
 * what it hides. For one compaction; one thread at a time.
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

  /** Whether a deletion may be purged. */
  boolean drops(DeletionTime deletion) {
    return deletion.deletedAtSeconds() < gcBeforeSeconds && deletion.timestamp() < purgeableBelow;
  }

  /** Returns the deletion, or none if it may be purged. */
  DeletionTime keep(DeletionTime deletion) {
    return deletion.isNone() || drops(deletion) ? DeletionTime.NONE : deletion;
  }

  /**
   * Returns what is kept of a cell; null if it may be purged. An expired value is not needed any
   * more, but what it hides must stay hidden, and it must not win over anything that it would not
   * have won over before.
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
