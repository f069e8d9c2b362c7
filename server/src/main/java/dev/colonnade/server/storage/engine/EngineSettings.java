package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.time.Duration;

/**
 * The bounds of a store.
 *
 * @param log of the commit log's segments
 * @param syncBeforeAck true (batch): a write is acknowledged once it is durable. false (periodic):
 *     it is acknowledged once the operating system has it, so that it survives the end of the
 *     process, and it is durable after {@code syncPeriod} at the latest
 * @param syncPeriod between syncs in periodic mode
 * @param writeQueueBytesMax mutations waiting for the log; more are refused
 * @param memtableBytesMax heap of all memtables together; above half of it the largest is flushed,
 *     above it writes wait until the disk has caught up, and are refused if that takes long
 * @param rowCacheBytes heap of the row caches of all families together
 * @param blockCacheBytes heap of the block cache
 * @param offHeapBlockCacheBytes direct memory for frames of blocks that the block cache has lost
 * @param filterBytesMax heap of the Bloom filters of all data files together; a file whose filter
 *     does not fit is read without it
 * @param keyCacheEntries positions of rows in data files that are remembered
 * @param compactionBytesPerSecond what one compaction may read while there are few files; keeps it
 *     from starving requests
 * @param scrubBytesPerSecond how fast all data files are read again and again to find damage; 0 for
 *     never
 * @param snapshotBytesPerSecond how fast files are read for the checksums of snapshots; 0 for no
 *     limit
 * @param diskReserveBytes room on the disk below which no writes are accepted and no compactions
 *     begin, so that accepted data can be flushed
 * @param familyFilesMax data files of one family; if there are more, and compactions that reduce
 *     them run, memtables wait before they become another file, and writes are refused once the
 *     waiting ones take too much heap
 * @param steps how much is done at a time
 * @param sstables how data files are written
 */
public record EngineSettings(
    CommitLogSettings log,
    boolean syncBeforeAck,
    Duration syncPeriod,
    long writeQueueBytesMax,
    long memtableBytesMax,
    long rowCacheBytes,
    long blockCacheBytes,
    long offHeapBlockCacheBytes,
    long filterBytesMax,
    long keyCacheEntries,
    long compactionBytesPerSecond,
    long scrubBytesPerSecond,
    long snapshotBytesPerSecond,
    long diskReserveBytes,
    int familyFilesMax,
    WorkSteps steps,
    SSTableSettings sstables) {

  /**
   * Three full tiers of the default maximum of a compaction: size-tiered compaction that keeps up
   * needs fewer, and each file costs every read a filter, and the process descriptors.
   */
  public static final int FAMILY_FILES_MAX = 96;
}
