package dev.colonnade.client;

import dev.colonnade.v1.RequestStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What one answer cost inside the cluster. An answer that comes in pages has one for each page, a
 * stream one at its end.
 *
 * @param coordinator the id of the node that answered
 * @param replicas the ids of the nodes that it sent a part of the call, itself only if it has a
 *     copy
 * @param replicasAnswered those of them that had answered when the outcome was decided
 * @param sstablesRead how many data files were read
 * @param bloomRejections how many data files were skipped because of their Bloom filter
 * @param blocksRead how many blocks of data files were read, from the cache or from disk
 * @param blockCacheHits how many of these came from the block cache
 * @param tombstonesScanned how many deletions and expired columns were skipped
 * @param serverTime from the arrival of the request to its answer, at the coordinator
 */
public record CallStatistics(
    String coordinator,
    List<String> replicas,
    List<String> replicasAnswered,
    int sstablesRead,
    int bloomRejections,
    long blocksRead,
    long blockCacheHits,
    long tombstonesScanned,
    Duration serverTime) {

  /** Keeps copies of the lists. */
  public CallStatistics {
    replicas = List.copyOf(replicas);
    replicasAnswered = List.copyOf(replicasAnswered);
  }

  static CallStatistics of(RequestStats stats) {
    return new CallStatistics(
        stats.getCoordinator(),
        stats.getReplicasList(),
        stats.getReplicasAnsweredList(),
        stats.getSstablesRead(),
        stats.getBloomRejections(),
        stats.getBlocksRead(),
        stats.getBlockCacheHits(),
        stats.getTombstonesScanned(),
        Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(stats.getServerMicros())));
  }
}
