package dev.colonnade.server.coordinator;

import dev.colonnade.server.sstable.ReadFigures;

/**
 * What a call did inside the cluster, for {@code include_stats}.
 *
 * @param replicas the nodes that it was carried out on
 * @param sstables data files that were looked into
 * @param bloomRejections data files that the Bloom filter ruled out
 * @param blocksRead blocks that were looked at, from the cache or from disk
 * @param blockCacheHits those of them that came from the cache
 * @param tombstones deletions and expired cells passed over
 */
public record CallCost(
    AskedReplicas replicas,
    long sstables,
    long bloomRejections,
    long blocksRead,
    long blockCacheHits,
    long tombstones) {

  /** Nothing done yet. */
  public static final CallCost NONE = of(AskedReplicas.NONE);

  /** No more than that these nodes were asked, as with a write. */
  public static CallCost of(AskedReplicas replicas) {
    return new CallCost(replicas, 0, 0, 0, 0, 0);
  }

  /** What one replica's store spent on a read. */
  static CallCost of(AskedReplicas replicas, ReadFigures figures, long tombstones) {
    return new CallCost(
        replicas,
        figures.sstablesTouched(),
        figures.bloomRejections(),
        figures.blocksRead(),
        figures.blockCacheHits(),
        tombstones);
  }

  /** Both together. */
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
