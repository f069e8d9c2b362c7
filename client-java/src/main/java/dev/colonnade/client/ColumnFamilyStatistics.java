package dev.colonnade.client;

import dev.colonnade.admin.v1.ColumnFamilyStats;

/**
 * The contents of a column family on a node, and the operations on it since the node started.
 *
 * @param pendingCompactions how many compactions wait or run
 * @param compactedBytes that compactions have written
 */
public record ColumnFamilyStatistics(
    String keyspace,
    String name,
    Disk disk,
    Memtable memtable,
    Calls calls,
    Reads reads,
    Flushes flushes,
    long pendingCompactions,
    long compactedBytes) {

  /**
   * The live data files.
   *
   * @param sstables how many there are
   * @param liveBytes of rows and columns in them
   * @param diskBytes that they take, with indexes and filters
   * @param quarantinedFiles how many damaged ones were set aside
   */
  public record Disk(int sstables, long liveBytes, long diskBytes, int quarantinedFiles) {}

  /**
   * Recent writes in memory.
   *
   * @param keys how many rows
   * @param bytes that they take
   * @param operations how many columns were written or removed
   */
  public record Memtable(long keys, long bytes, long operations) {}

  /**
   * Calls for rows.
   *
   * @param readLatencyMicros mean inside the node, in microseconds
   * @param writeLatencyMicros mean inside the node, in microseconds
   */
  public record Calls(
      long reads, long writes, double readLatencyMicros, double writeLatencyMicros) {}

  /**
   * Totals over all reads.
   *
   * @param sstablesTouched how many data files they read
   * @param blocksRead how many blocks of data files they read
   * @param blockCacheHits how many of these came from the block cache
   * @param blockCacheMisses how many of these came from disk
   * @param bloomRejections how many data files were skipped because of their Bloom filter
   * @param bloomFalsePositives how often a Bloom filter said yes for a row that was not there
   * @param keyCacheHits how many look-ups the key cache answered
   * @param keyCacheHitRate the share of look-ups that these are, from 0 to 1
   * @param rowCacheHits how many reads the row cache answered
   * @param rowCacheMisses how many reads it could not answer, where it is on
   * @param tombstonesScanned how many deletions and expired columns were skipped
   */
  public record Reads(
      long sstablesTouched,
      long blocksRead,
      long blockCacheHits,
      long blockCacheMisses,
      long bloomRejections,
      long bloomFalsePositives,
      long keyCacheHits,
      double keyCacheHitRate,
      long rowCacheHits,
      long rowCacheMisses,
      long tombstonesScanned) {}

  /**
   * Flushes by what began them.
   *
   * @param onDemand requested, or to make room in the commit log
   */
  public record Flushes(long bySize, long byOperations, long byAge, long onDemand) {}

  static ColumnFamilyStatistics of(ColumnFamilyStats message) {
    return new ColumnFamilyStatistics(
        message.getKeyspace(),
        message.getName(),
        new Disk(
            message.getSstables(),
            message.getLiveBytes(),
            message.getDiskBytes(),
            message.getQuarantinedFiles()),
        new Memtable(
            message.getMemtableKeys(), message.getMemtableBytes(), message.getMemtableOperations()),
        new Calls(
            message.getReads(),
            message.getWrites(),
            message.getReadLatencyMicros(),
            message.getWriteLatencyMicros()),
        reads(message),
        new Flushes(
            message.getFlushesBySize(),
            message.getFlushesByOperations(),
            message.getFlushesByAge(),
            message.getFlushesOnDemand()),
        message.getPendingCompactions(),
        message.getCompactedBytes());
  }

  private static Reads reads(ColumnFamilyStats message) {
    return new Reads(
        message.getSstablesTouched(),
        message.getBlocksRead(),
        message.getBlockCacheHits(),
        message.getBlockCacheMisses(),
        message.getBloomRejections(),
        message.getBloomFalsePositives(),
        message.getKeyCacheHits(),
        message.getKeyCacheHitRate(),
        message.getRowCacheHits(),
        message.getRowCacheMisses(),
        message.getTombstonesScanned());
  }
}
