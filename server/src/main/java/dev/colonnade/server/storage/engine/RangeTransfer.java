package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import java.util.List;
import java.util.function.Consumer;

/** Moves ranges of rows to and from other nodes. Thread-safe. */
final class RangeTransfer {
  private final LiveFileSet liveFiles;
  private final DiskSpaceGuard diskSpace;
  private final DamageListener damage;
  private final Consumer<ColumnFamilyStore> afterIngest;

  RangeTransfer(
      LiveFileSet liveFiles,
      DiskSpaceGuard diskSpace,
      DamageListener damage,
      Consumer<ColumnFamilyStore> afterIngest) {
    this.liveFiles = liveFiles;
    this.diskSpace = diskSpace;
    this.damage = damage;
    this.afterIngest = afterIngest;
  }

  RangeScan scan(ColumnFamilyStore store, List<RowSpan> spans) {
    return new RangeScan(store, store.holdTables(), spans, damage);
  }

  /**
   * Begins an ingest of another node's rows.
   *
   * @param truncation the last one there, before the rows were read
   */
  RangeIngest ingest(ColumnFamilyStore store, long truncation) {
    if (truncation > store.definition().truncation()) {
      throw new TruncationPendingException(store.id(), truncation);
    }
    if (truncation < store.truncatedBefore()) {
      throw new StoreStoppedException(
          "the rows of "
              + store.definition().qualifiedName()
              + " that another node sends were written before it was truncated");
    }
    return new RangeIngest(store, liveFiles, diskSpace, afterIngest);
  }
}
