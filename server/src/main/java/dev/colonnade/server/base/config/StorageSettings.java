package dev.colonnade.server.base.config;

/**
 * How data lies on disk and in memory. Default figures are for a heap of 1 GiB; a node scales what
 * it keeps in memory with its heap.
 *
 * @param blockBytes the size of the blocks in which data is compressed and checksummed
 * @param compression of new blocks
 * @param memtableTotalBytes all memtables together; beyond it the largest is flushed
 * @param blockCacheBytes blocks kept in memory
 * @param keyCacheBytes positions of keys kept in memory, all families together
 * @param rowCacheBytes whole rows kept in memory, all families together
 * @param compactionBytesPerSecond what compaction may read and write; 0 means no limit
 */
public record StorageSettings(
    int blockBytes,
    CompressionSetting compression,
    long memtableTotalBytes,
    long blockCacheBytes,
    long keyCacheBytes,
    long rowCacheBytes,
    long compactionBytesPerSecond) {

  /** How blocks are compressed. */
  public enum CompressionSetting {
    NONE,
    LZ4
  }

  /**
   * Blocks of 16 KiB: ten columns cost one small read, and LZ4 still finds repetitions. A quarter
   * of the heap for memtables, a quarter for caches, the rest for requests and compaction. 32 MiB/s
   * of compaction leaves a slow disk room for reads.
   */
  public static final StorageSettings DEFAULT =
      new StorageSettings(
          16 << 10,
          CompressionSetting.LZ4,
          256L << 20,
          192L << 20,
          32L << 20,
          32L << 20,
          32L << 20);

  /** Checks the bounds. */
  public StorageSettings {
    SettingChecks.range("blockBytes", blockBytes, 1 << 10, 1 << 20);
    SettingChecks.range("memtableTotalBytes", memtableTotalBytes, 1 << 20, 1L << 40);
    SettingChecks.range("blockCacheBytes", blockCacheBytes, 0, 1L << 40);
    SettingChecks.range("keyCacheBytes", keyCacheBytes, 0, 1L << 40);
    SettingChecks.range("rowCacheBytes", rowCacheBytes, 0, 1L << 40);
    SettingChecks.range("compactionBytesPerSecond", compactionBytesPerSecond, 0, 1L << 40);
  }

  /** Returns these settings with another bound for all memtables together. */
  public StorageSettings withMemtableTotalBytes(long bytes) {
    return new StorageSettings(
        blockBytes,
        compression,
        bytes,
        blockCacheBytes,
        keyCacheBytes,
        rowCacheBytes,
        compactionBytesPerSecond);
  }

  /** Returns these settings with caches of other sizes. */
  public StorageSettings withCacheBytes(long blocks, long keys, long rows) {
    return new StorageSettings(
        blockBytes, compression, memtableTotalBytes, blocks, keys, rows, compactionBytesPerSecond);
  }

  /**
   * A memtable of this size is flushed whatever its family's limit: each leaves room for the
   * others.
   */
  public long memtableBytesMax() {
    return memtableTotalBytes / 4;
  }
}
