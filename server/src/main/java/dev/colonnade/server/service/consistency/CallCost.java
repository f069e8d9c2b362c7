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
 * @param late how often replicas were late, so that spare ones were asked as well
 * @param mismatches how often digests of replicas differed
 * @param repairs how often a replica was sent what it lacked before the answer
 */
public record CallCost(
    AskedReplicas replicas,
    long sstables,
    long bloomRejections,
    long blocksRead,
    long blockCacheHits,
    long tombstones,
    long late,
    long mismatches,
    long repairs) {

  /** No work yet. */
  public static final CallCost NONE = of(AskedReplicas.NONE);

  /** Only the nodes asked, as with a write. */
  public static CallCost of(AskedReplicas replicas) {
    return new CallCost(replicas, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** The cost of a read in one replica's store. */
  public static CallCost of(AskedReplicas replicas, ReadFigures figures, long tombstones) {
    return new CallCost(
        replicas,
        figures.sstablesTouched(),
        figures.bloomRejections(),
        figures.blocksRead(),
        figures.blockCacheHits(),
        tombstones,
        0,
        0,
        0);
  }

  /** This cost with what the coordinator did because replicas were late or differed. */
  public CallCost with(long lateReplicas, long digestMismatches, long readRepairs) {
    return new CallCost(
        replicas,
        sstables,
        bloomRejections,
        blocksRead,
        blockCacheHits,
        tombstones,
        late + lateReplicas,
        mismatches + digestMismatches,
        repairs + readRepairs);
  }

  /** The sum of both. */
  public CallCost plus(CallCost other) {
    return new CallCost(
        replicas.plus(other.replicas),
        sstables + other.sstables,
        bloomRejections + other.bloomRejections,
        blocksRead + other.blocksRead,
        blockCacheHits + other.blockCacheHits,
        tombstones + other.tombstones,
        late + other.late,
        mismatches + other.mismatches,
        repairs + other.repairs);
  }
}
