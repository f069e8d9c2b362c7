package dev.colonnade.server.sim.store;

import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.engine.WorkSteps;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.time.Duration;

/** Changes single settings of a store. For one thread. */
public final class EngineSettingsBuilder {

  private static final long MEBIBYTE = 1L << 20;

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
  private long scrubBytesPerSecond;
  private long snapshotBytesPerSecond;
  private long diskReserveBytes;
  private int familyFilesMax;
  private WorkSteps steps;
  private SSTableSettings sstables;

  private EngineSettingsBuilder(EngineSettings settings) {
    log = settings.log();
    syncBeforeAck = settings.syncBeforeAck();
    syncPeriod = settings.syncPeriod();
    writeQueueBytesMax = settings.writeQueueBytesMax();
    memtableBytesMax = settings.memtableBytesMax();
    rowCacheBytes = settings.rowCacheBytes();
    blockCacheBytes = settings.blockCacheBytes();
    offHeapBlockCacheBytes = settings.offHeapBlockCacheBytes();
    filterBytesMax = settings.filterBytesMax();
    keyCacheEntries = settings.keyCacheEntries();
    compactionBytesPerSecond = settings.compactionBytesPerSecond();
    scrubBytesPerSecond = settings.scrubBytesPerSecond();
    snapshotBytesPerSecond = settings.snapshotBytesPerSecond();
    diskReserveBytes = settings.diskReserveBytes();
    familyFilesMax = settings.familyFilesMax();
    steps = settings.steps();
    sstables = settings.sstables();
  }

  /** Begins with these settings. */
  public static EngineSettingsBuilder of(EngineSettings settings) {
    return new EngineSettingsBuilder(settings);
  }

  /**
   * Settings for a heap of this size: a third for memtables, a fifth for blocks, a sixteenth for a
   * row cache, so that half is left for requests, filters and the collector; nothing outside of the
   * heap.
   */
  public static EngineSettingsBuilder forHeap(long heapBytes) {
    return of(
        new EngineSettings(
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
            0,
            0,
            64 * MEBIBYTE,
            EngineSettings.FAMILY_FILES_MAX,
            WorkSteps.DEFAULT,
            SSTableSettings.DEFAULT));
  }

  /** Sets another commit log mode. */
  public EngineSettingsBuilder withSync(boolean beforeAck, Duration period) {
    syncBeforeAck = beforeAck;
    syncPeriod = period;
    return this;
  }

  /** Sets other sizes of log segments. */
  public EngineSettingsBuilder withLog(CommitLogSettings other) {
    log = other;
    return this;
  }

  /** Sets another bound for memtables. */
  public EngineSettingsBuilder withMemtableBytesMax(long bytes) {
    memtableBytesMax = bytes;
    return this;
  }

  /** Sets other data file settings. */
  public EngineSettingsBuilder withSSTables(SSTableSettings other) {
    sstables = other;
    return this;
  }

  /**
   * Sets other caches; 0 switches one off.
   *
   * @param blockBytes heap of the block cache
   * @param keyEntries positions remembered by the key cache
   * @param rowBytes heap of the row caches of all families together
   */
  public EngineSettingsBuilder withCaches(long blockBytes, long keyEntries, long rowBytes) {
    rowCacheBytes = rowBytes;
    blockCacheBytes = blockBytes;
    keyCacheEntries = keyEntries;
    return this;
  }

  /** Sets other direct memory for blocks; 0 for none. */
  public EngineSettingsBuilder withOffHeapBlockCacheBytes(long bytes) {
    offHeapBlockCacheBytes = bytes;
    return this;
  }

  /** Sets other steps. */
  public EngineSettingsBuilder withSteps(WorkSteps other) {
    steps = other;
    return this;
  }

  /** Sets another reserve of room on the disk. */
  public EngineSettingsBuilder withDiskReserveBytes(long bytes) {
    diskReserveBytes = bytes;
    return this;
  }

  /** Sets another bound for the files of a family. */
  public EngineSettingsBuilder withFamilyFilesMax(int files) {
    familyFilesMax = files;
    return this;
  }

  /** Sets another rate of compaction. */
  public EngineSettingsBuilder withCompactionBytesPerSecond(long bytes) {
    compactionBytesPerSecond = bytes;
    return this;
  }

  /** Sets another rate of the scrub in the background, which is off in simulations. */
  public EngineSettingsBuilder withScrubBytesPerSecond(long bytes) {
    scrubBytesPerSecond = bytes;
    return this;
  }

  /** Sets another rate of reading for the checksums of snapshots; 0 for no limit. */
  public EngineSettingsBuilder withSnapshotBytesPerSecond(long bytes) {
    snapshotBytesPerSecond = bytes;
    return this;
  }

  /** The settings. */
  public EngineSettings build() {
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
        scrubBytesPerSecond,
        snapshotBytesPerSecond,
        diskReserveBytes,
        familyFilesMax,
        steps,
        sstables);
  }
}
