package dev.colonnade.server.service.consistency;

import dev.colonnade.server.storage.sstable.ReadFigures;

/**
 * The work that a call caused inside the cluster, for {@code include_stats}.
 *
 * @param replicas the nodes that took part
 * @param sstables data files that were read
 * @param bloomRejections data files that the Bloom filter ruled out
 * @param blocksRead blocks read, from the cache or from disk
 * @param blockCacheHits how many of these blocks came from the cache
 * @param tombstones deletions and expired cells passed over
 */
public record CallCost(
    AskedReplicas replicas,
    long sstables,
    long bloomRejections,
    long blocksRead,
    long blockCacheHits,
    long tombstones) {

  /** No work yet. */
  public static final CallCost NONE = of(AskedReplicas.NONE);

  /** Only the nodes asked, as with a write. */
  public static CallCost of(AskedReplicas replicas) {
    return new CallCost(replicas, 0, 0, 0, 0, 0);
  }

  /** The cost of a read in one replica's store. */
  public static CallCost of(AskedReplicas replicas, ReadFigures figures, long tombstones) {
    return new CallCost(
        replicas,
        figures.sstablesTouched(),
        figures.bloomRejections(),
        figures.blocksRead(),
        figures.blockCacheHits(),
        tombstones);
  }

  /** The sum of both. */
  public CallCost plus(CallCost other) {
    return new CallCost(
        replicas.plus(other.replicas),
        sstables + other.sstables,
        bloomRejections + other.bloomRejections,
        blocksRead + other.blocksRead,
        blockCacheHits + other.blockCacheHits,
        tombstones + other.tombstones);
  }
}
