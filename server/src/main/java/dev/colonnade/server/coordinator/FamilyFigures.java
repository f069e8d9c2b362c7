package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.QuarantinedFile;
import java.util.List;

/**
 * What one column family holds on this node, and what it cost since the node started. Rates are
 * from 0 to 1.
 *
 * @param pendingCompactions merges that are due and have not begun
 * @param compactedBytes written by merges
 */
public record FamilyFigures(
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
   * The data files.
   *
   * @param liveBytes of the files that are in use
   * @param diskBytes of all files, those that wait for their last reader included
   * @param quarantined damaged ones, which are in neither figure
   */
  public record Disk(
      int sstables, long liveBytes, long diskBytes, List<QuarantinedFile> quarantined) {

    /** Copies the list. */
    public Disk {
      quarantined = List.copyOf(quarantined);
    }
  }

  /** What is in memory and not yet in a data file. */
  public record Memtable(long keys, long bytes, long operations) {}

  /** Calls and their mean latencies in microseconds. */
  public record Calls(
      long reads, long writes, double readLatencyMicros, double writeLatencyMicros) {}

  /** What reads met on their way. */
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

  /** Flushes by what brought them about. */
  public record Flushes(long bySize, long byOperations, long byAge, long onDemand) {}
}
