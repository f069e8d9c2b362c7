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
    long diskReserveBytes,
    int familyFilesMax,
    WorkSteps steps,
    SSTableSettings sstables) {

  private static final long MEBIBYTE = 1L << 20;

  /**
   * Three full tiers of the default maximum of a compaction: size-tiered compaction that keeps up
   * needs fewer, and each file costs every read a filter, and the process descriptors.
   */
  public static final int FAMILY_FILES_MAX = 96;

  /**
   * Settings for a heap of this size: a third for memtables, a fifth for blocks, a sixteenth for a
   * row cache, so that half is left for requests, filters and the collector; nothing outside of the
   * heap.
   */
  public static EngineSettings forHeap(long heapBytes) {
    return new EngineSettings(
        CommitLogSettings.defaults(),
        false,
        Duration.ofSeconds(1),
        Math.max(8 * MEBIBYTE, heapBytes / 16),
        Math.max(16 * MEBIBYTE, heapBytes / 3),
        heapBytes / 16,
        heapBytes / 5,
        0,
        heapBytes / 16,
        200_000,
        64 * MEBIBYTE,
        64 * MEBIBYTE,
        FAMILY_FILES_MAX,
        WorkSteps.DEFAULT,
        SSTableSettings.DEFAULT);
  }

  /** Returns these settings with another commit log mode. */
  public EngineSettings withSync(boolean beforeAck, Duration period) {
    Copy copy = new Copy(this);
    copy.syncBeforeAck = beforeAck;
    copy.syncPeriod = period;
    return copy.done();
  }

  /** Returns these settings with other sizes of log segments. */
  public EngineSettings withLog(CommitLogSettings other) {
    Copy copy = new Copy(this);
    copy.log = other;
    return copy.done();
  }

  /** Returns these settings with another bound for memtables. */
  public EngineSettings withMemtableBytesMax(long bytes) {
    Copy copy = new Copy(this);
    copy.memtableBytesMax = bytes;
    return copy.done();
  }

  /** Returns these settings with other data file settings. */
  public EngineSettings withSSTables(SSTableSettings other) {
    Copy copy = new Copy(this);
    copy.sstables = other;
    return copy.done();
  }

  /**
   * Returns these settings with other caches; 0 switches one off.
   *
   * @param blockBytes heap of the block cache
   * @param keyEntries positions remembered by the key cache
   * @param rowBytes heap of the row caches of all families together
   */
  public EngineSettings withCaches(long blockBytes, long keyEntries, long rowBytes) {
    Copy copy = new Copy(this);
    copy.rowCacheBytes = rowBytes;
    copy.blockCacheBytes = blockBytes;
    copy.keyCacheEntries = keyEntries;
    return copy.done();
  }

  /** Returns these settings with other direct memory for blocks; 0 for none. */
  public EngineSettings withOffHeapBlockCacheBytes(long bytes) {
    Copy copy = new Copy(this);
    copy.offHeapBlockCacheBytes = bytes;
    return copy.done();
  }

  /** Returns these settings with another bound for the Bloom filters of all data files together. */
  public EngineSettings withFilterBytesMax(long bytes) {
    Copy copy = new Copy(this);
    copy.filterBytesMax = bytes;
    return copy.done();
  }

  /** Returns these settings with other steps. */
  public EngineSettings withSteps(WorkSteps other) {
    Copy copy = new Copy(this);
    copy.steps = other;
    return copy.done();
  }

  /** Returns these settings with another reserve of room on the disk. */
  public EngineSettings withDiskReserveBytes(long bytes) {
    Copy copy = new Copy(this);
    copy.diskReserveBytes = bytes;
    return copy.done();
  }

  /** Returns these settings with another bound for the files of a family. */
  public EngineSettings withFamilyFilesMax(int files) {
    Copy copy = new Copy(this);
    copy.familyFilesMax = files;
    return copy.done();
  }

  /** Returns these settings with another rate of compaction. */
  public EngineSettings withCompactionBytesPerSecond(long bytes) {
    Copy copy = new Copy(this);
    copy.compactionBytesPerSecond = bytes;
    return copy.done();
  }

  /** A mutable copy of all settings, so that only one place knows their order. */
  private static final class Copy {
    private CommitLogSettings log;
    private boolean syncBeforeAck;
    private Duration syncPeriod;
    private long writeQueueBytesMax;
    private long memtableBytesMax;
    private long rowCacheBytes;
    private long blockCacheBytes;
    private long offHeapBlockCacheBytes;
    private long filterBytesMax;
    private long keyCacheEntries;
    private long compactionBytesPerSecond;
    private long diskReserveBytes;
    private int familyFilesMax;
    private WorkSteps steps;
    private SSTableSettings sstables;

    Copy(EngineSettings settings) {
      log = settings.log;
      syncBeforeAck = settings.syncBeforeAck;
      syncPeriod = settings.syncPeriod;
      writeQueueBytesMax = settings.writeQueueBytesMax;
      memtableBytesMax = settings.memtableBytesMax;
      rowCacheBytes = settings.rowCacheBytes;
      blockCacheBytes = settings.blockCacheBytes;
      offHeapBlockCacheBytes = settings.offHeapBlockCacheBytes;
      filterBytesMax = settings.filterBytesMax;
      keyCacheEntries = settings.keyCacheEntries;
      compactionBytesPerSecond = settings.compactionBytesPerSecond;
      diskReserveBytes = settings.diskReserveBytes;
      familyFilesMax = settings.familyFilesMax;
      steps = settings.steps;
      sstables = settings.sstables;
    }

    EngineSettings done() {
      return new EngineSettings(
          log,
          syncBeforeAck,
          syncPeriod,
          writeQueueBytesMax,
          memtableBytesMax,
          rowCacheBytes,
          blockCacheBytes,
          offHeapBlockCacheBytes,
          filterBytesMax,
          keyCacheEntries,
          compactionBytesPerSecond,
          diskReserveBytes,
          familyFilesMax,
          steps,
          sstables);
    }
  }
}
