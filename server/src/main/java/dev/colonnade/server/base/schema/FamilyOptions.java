package dev.colonnade.server.base.schema;

/**
 * The options of a column family that can change.
 *
 * @param comment for people
 * @param keysCached positions of keys to keep in memory
 * @param rowsCached whole rows to keep in memory
 * @param readRepairChance the share of reads, 0 to 1, that also compare the replicas not needed
 * @param gcGraceSeconds how long a deletion is kept at least, so that a node that was away learns
 *     of it
 * @param minCompactionThreshold how many files of similar size start a compaction; 0 together with
 *     the maximum switches automatic compaction off
 * @param maxCompactionThreshold the most files of one compaction
 * @param memtable when to flush
 * @param defaultTtlSeconds for columns written without a time to live; 0 for none
 */
public record FamilyOptions(
    String comment,
    CacheSize keysCached,
    CacheSize rowsCached,
    double readRepairChance,
    long gcGraceSeconds,
    int minCompactionThreshold,
    int maxCompactionThreshold,
    MemtableLimits memtable,
    int defaultTtlSeconds) {

  /**
   * As in Cassandra 0.6 and 0.7: 200,000 keys (a few megabytes), no rows, every read repairs, ten
   * days to bring a dead node back, 4 files at least and 32 at most in a compaction.
   */
  public static final FamilyOptions DEFAULT =
      new FamilyOptions(
          "",
          new CacheSize(false, 200_000),
          CacheSize.NONE,
          1.0,
          864_000,
          4,
          32,
          MemtableLimits.DEFAULT,
          0);
}
