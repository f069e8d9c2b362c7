package dev.colonnade.server.config;

/**
 * How data lies on disk and in memory. Figures are for a heap of 1 GiB.
 *
 * @param blockBytes data is compressed and checksummed in blocks of so many bytes
 * @param compression of new blocks
 * @param columnIndexBytes a row longer than this gets an index of its columns, one entry for each
 *     so many bytes
 * @param indexInterval every so-manyth key stands in the sparse index that is kept in memory
 * @param memtableTotalBytes all memtables together; beyond it the largest is flushed
 * @param blockCacheBytes blocks kept in memory
 * @param keyCacheBytes positions of keys kept in memory, all families together
 * @param rowCacheBytes whole rows kept in memory, all families together
 * @param compactionBytesPerSecond what merging may read and write; 0 means no limit
 * @param rowWarningBytes a row longer than this is reported when it is merged
 */
public record StorageSettings(
    int blockBytes,
    Compression compression,
    int columnIndexBytes,
    int indexInterval,
    long memtableTotalBytes,
    long blockCacheBytes,
    long keyCacheBytes,
    long rowCacheBytes,
    long compactionBytesPerSecond,
    long rowWarningBytes) {

  /** How blocks are compressed. */
  public enum Compression {
    NONE,
    LZ4
  }

  /**
   * Blocks of 16 KiB: ten columns cost one small read, and LZ4 still finds what repeats. The index
   * figures are Cassandra's. A quarter of the heap for memtables, a quarter for caches, the rest
   * for requests and merging. 32 MiB/s of merging leaves a slow disk room for reads.
   */
  public static final StorageSettings DEFAULT =
      new StorageSettings(
          16 << 10,
          Compression.LZ4,
          64 << 10,
          128,
          256L << 20,
          192L << 20,
          32L << 20,
          32L << 20,
          32L << 20,
          64L << 20);

  /** Checks the bounds. */
  public StorageSettings {
    Bounds.range("blockBytes", blockBytes, 1 << 10, 1 << 20);
    Bounds.range("columnIndexBytes", columnIndexBytes, 1 << 10, 64 << 20);
    Bounds.range("indexInterval", indexInterval, 1, 1 << 16);
    Bounds.range("memtableTotalBytes", memtableTotalBytes, 1 << 20, 1L << 40);
    Bounds.range("blockCacheBytes", blockCacheBytes, 0, 1L << 40);
    Bounds.range("keyCacheBytes", keyCacheBytes, 0, 1L << 40);
    Bounds.range("rowCacheBytes", rowCacheBytes, 0, 1L << 40);
    Bounds.range("compactionBytesPerSecond", compactionBytesPerSecond, 0, 1L << 40);
    Bounds.range("rowWarningBytes", rowWarningBytes, 1, 1L << 50);
  }

  /** With a column index of another grain. */
  public StorageSettings withColumnIndexBytes(int bytes) {
    return new StorageSettings(
        blockBytes,
        compression,
        bytes,
        indexInterval,
        memtableTotalBytes,
        blockCacheBytes,
        keyCacheBytes,
        rowCacheBytes,
        compactionBytesPerSecond,
        rowWarningBytes);
  }

  /** With a sparse index of another grain. */
  public StorageSettings withIndexInterval(int keys) {
    return new StorageSettings(
        blockBytes,
        compression,
        columnIndexBytes,
        keys,
        memtableTotalBytes,
        blockCacheBytes,
        keyCacheBytes,
        rowCacheBytes,
        compactionBytesPerSecond,
        rowWarningBytes);
  }

  /** With another bound for all memtables together. */
  public StorageSettings withMemtableTotalBytes(long bytes) {
    return new StorageSettings(
        blockBytes,
        compression,
        columnIndexBytes,
        indexInterval,
        bytes,
        blockCacheBytes,
        keyCacheBytes,
        rowCacheBytes,
        compactionBytesPerSecond,
        rowWarningBytes);
  }

  /** With caches of other sizes. */
  public StorageSettings withCacheBytes(long blocks, long keys, long rows) {
    return new StorageSettings(
        blockBytes,
        compression,
        columnIndexBytes,
        indexInterval,
        memtableTotalBytes,
        blocks,
        keys,
        rows,
        compactionBytesPerSecond,
        rowWarningBytes);
  }

  /** With another length from which rows are reported. */
  public StorageSettings withRowWarningBytes(long bytes) {
    return new StorageSettings(
        blockBytes,
        compression,
        columnIndexBytes,
        indexInterval,
        memtableTotalBytes,
        blockCacheBytes,
        keyCacheBytes,
        rowCacheBytes,
        compactionBytesPerSecond,
        bytes);
  }
}
