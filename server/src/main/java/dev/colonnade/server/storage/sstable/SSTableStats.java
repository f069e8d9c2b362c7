package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.model.RowKey;

/**
 * Statistics of a data file's content.
 *
 * @param rows row keys, those that are only deleted included
 * @param cells live, expiring and deleted columns
 * @param tombstones deleted columns, range deletions (each piece once), and deleted rows
 * @param minTimestamp the smallest timestamp of any cell or deletion; {@link Long#MAX_VALUE} if
 *     there is none
 * @param maxTimestamp the greatest; {@link Long#MIN_VALUE} if there is none
 * @param minDropSeconds the earliest time of a deletion or an expiry, in seconds since 1970; {@link
 *     Long#MAX_VALUE} if there is none. Nothing can be purged by age before
 * @param tombstoneHistogram all those times, roughly
 * @param firstKey the smallest row key
 * @param lastKey the greatest row key
 * @param uncompressedBytes of all data blocks
 * @param dataBytes length of the data file
 */
public record SSTableStats(
    long rows,
    long cells,
    long tombstones,
    long minTimestamp,
    long maxTimestamp,
    long minDropSeconds,
    TombstoneHistogram tombstoneHistogram,
    RowKey firstKey,
    RowKey lastKey,
    long uncompressedBytes,
    long dataBytes) {

  /**
   * The share of atoms that a compaction at {@code nowSeconds} might purge because they were
   * deleted, or have expired, more than {@code gcGraceSeconds} ago: 0 to 1.
   */
  public double droppableShare(long nowSeconds, long gcGraceSeconds) {
    long all = Math.max(1, Math.max(cells, tombstones));
    return Math.min(
        1.0, (double) tombstoneHistogram.countBefore(nowSeconds - gcGraceSeconds) / all);
  }
}
