package dev.colonnade.server.coordinator;

/**
 * What a read cost, for {@code include_stats}.
 *
 * @param sstables data files that were looked into
 * @param bloomRejections data files that the Bloom filter ruled out
 * @param blocksRead blocks read from disk
 * @param blockCacheHits blocks found in the cache
 * @param tombstones deletions and expired cells passed over
 */
public record ReadCost(
    int sstables, int bloomRejections, int blocksRead, int blockCacheHits, long tombstones) {

  /** Nothing read yet. */
  public static final ReadCost NONE = new ReadCost(0, 0, 0, 0, 0);

  /** Both together. */
  public ReadCost plus(ReadCost other) {
    return new ReadCost(
        sstables + other.sstables,
        bloomRejections + other.bloomRejections,
        blocksRead + other.blocksRead,
        blockCacheHits + other.blockCacheHits,
        tombstones + other.tombstones);
  }
}
