package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.WriteOptions;
import java.util.Map;
import org.junit.jupiter.api.function.Executable;

/**
 * What reads and writes of a family met, told for each call and summed up for the family: both are
 * looked at together.
 */
final class ReadFigureClaims {

  private final FigureScenario cluster;

  ReadFigureClaims(FigureScenario cluster) {
    this.cluster = cluster;
  }

  void addTo(Map<String, Executable> claims) {
    claims.put("ColumnFamilyStats.reads", this::readsAreCountedWhereTheyAreDone);
    claims.put("ColumnFamilyStats.writes", this::writesAreCountedOnEachReplica);
    claims.put("ColumnFamilyStats.read_latency_micros", this::aReadThatWaitsForTheDisk);
    claims.put("ColumnFamilyStats.write_latency_micros", this::aWriteThatWaitsForItsTurn);
    for (String figure : new String[] {"sstables_read", "bloom_rejections"}) {
      claims.put("RequestStats." + figure, () -> filesOfARead(figure));
    }
    claims.put("ColumnFamilyStats.sstables_touched", () -> filesOfARead("touched"));
    claims.put("ColumnFamilyStats.bloom_rejections", () -> filesOfARead("rejected"));
    claims.put("ColumnFamilyStats.bloom_false_positives", this::filesThatWereReadInVain);
    for (String figure : new String[] {"blocks_read", "block_cache_hits"}) {
      claims.put("RequestStats." + figure, () -> blocksOfARead("Call_" + figure));
      claims.put("ColumnFamilyStats." + figure, () -> blocksOfARead(figure));
    }
    claims.put("ColumnFamilyStats.block_cache_misses", () -> blocksOfARead("misses"));
    claims.put("ColumnFamilyStats.key_cache_hits", () -> positionsOfRows("hits"));
    claims.put("ColumnFamilyStats.key_cache_hit_rate", () -> positionsOfRows("rate"));
    claims.put("ColumnFamilyStats.row_cache_hits", () -> rowsInMemory("hits"));
    claims.put("ColumnFamilyStats.row_cache_misses", () -> rowsInMemory("misses"));
    claims.put("ColumnFamilyStats.tombstones_scanned", () -> deletionsOnTheWay("all"));
    claims.put("RequestStats.tombstones_scanned", () -> deletionsOnTheWay("call"));
  }

  private ColumnFamilyStats stats(String family) {
    return cluster.stats(0, family);
  }

  private void readsAreCountedWhereTheyAreDone() {
    String family = cluster.family("Reads");
    cluster.insert(0, family, "row", "a", "1");
    assertEquals(0, stats(family).getReads());
    cluster.read(0, family, "row");
    assertEquals(1, stats(family).getReads());
    assertEquals(0, cluster.stats(1, family).getReads() + cluster.stats(2, family).getReads());
    cluster.read(1, family, "row", ConsistencyLevel.CONSISTENCY_LEVEL_ALL);
    assertEquals(2, stats(family).getReads(), "one for another node");
  }

  private void writesAreCountedOnEachReplica() {
    String family = cluster.family("Writes");
    for (int i = 0; i < 3; i++) {
      cluster.insert(i, family, "row", "a", "1");
    }
    for (int i = 0; i < 3; i++) {
      assertEquals(3, cluster.stats(i, family).getWrites());
    }
  }

  private void aReadThatWaitsForTheDisk() {
    String family = cluster.family("ReadLatency");
    cluster.insert(0, family, "row", "a", "1");
    cluster.read(0, family, "row");
    assertEquals(0, stats(family).getReadLatencyMicros(), "memory takes no time in the simulator");
    cluster.flush(0, family);
    cluster.read(0, family, "row");
    double mean = stats(family).getReadLatencyMicros();
    assertTrue(mean > 0 && mean < 1_000, "the turn on the read stage is waited for: " + mean);
  }

  private void aWriteThatWaitsForItsTurn() {
    String family = cluster.family("WriteLatency");
    assertEquals(0, stats(family).getWriteLatencyMicros());
    cluster.insert(0, family, "row", "a", "1");
    double mean = stats(family).getWriteLatencyMicros();
    assertTrue(mean > 0 && mean < 10_000, "the turn on the log stage is waited for: " + mean);
  }

  /** Three files of which each has other rows between the same first and last one. */
  private String threeFiles(String name) {
    String family = cluster.family(name);
    for (int file = 0; file < 3; file++) {
      for (int i = 0; i < 40; i++) {
        cluster.insert(0, family, "row" + file + "-" + i, "a", "1");
      }
      cluster.flush(0, family);
    }
    assertEquals(3, stats(family).getSstables());
    return family;
  }

  private void filesOfARead(String name) {
    String family = threeFiles("Files_" + name);
    long touched = 0;
    long rejected = 0;
    for (int file = 0; file < 3; file++) {
      RequestStats cost = cluster.cost(0, family, "row" + file + "-20");
      assertTrue(cost.getSstablesRead() >= 1, "the file with the row was read");
      assertTrue(cost.getSstablesRead() + cost.getBloomRejections() <= 3);
      touched += cost.getSstablesRead();
      rejected += cost.getBloomRejections();
    }
    assertTrue(rejected >= 3, "filters spare most others: " + rejected);
    assertEquals(touched, stats(family).getSstablesTouched());
    assertEquals(rejected, stats(family).getBloomRejections());
  }

  private void filesThatWereReadInVain() {
    String family = threeFiles("FalsePositives");
    long vain = 0;
    for (int i = 0; i < 3_000 && vain < 2; i++) {
      // No file has the row, so each one that was read was read because its filter was wrong.
      vain += cluster.cost(0, family, "absent" + i).getSstablesRead();
    }
    assertTrue(vain >= 2, "no filter is wrong so seldom");
    assertEquals(vain, stats(family).getBloomFalsePositives());
  }

  private void blocksOfARead(String name) {
    String family = cluster.family("Blocks_" + name);
    for (int i = 0; i < 60; i++) {
      cluster.insert(0, family, "row", "column" + i, "value".repeat(20));
    }
    cluster.flush(0, family);
    RequestStats cold = cluster.cost(0, family, "row");
    assertTrue(cold.getBlocksRead() >= 3, "the row has several blocks: " + cold.getBlocksRead());
    assertEquals(cold.getBlocksRead(), stats(family).getBlocksRead());
    assertEquals(cold.getBlockCacheHits(), stats(family).getBlockCacheHits());
    long misses = cold.getBlocksRead() - cold.getBlockCacheHits();
    assertTrue(misses >= 3, "they came from disk");
    assertEquals(misses, stats(family).getBlockCacheMisses());

    RequestStats warm = cluster.cost(0, family, "row");
    assertEquals(warm.getBlocksRead(), warm.getBlockCacheHits(), "all from the cache");
    assertTrue(warm.getBlocksRead() >= 3);
    assertEquals(cold.getBlocksRead() + warm.getBlocksRead(), stats(family).getBlocksRead());
    assertEquals(misses, stats(family).getBlockCacheMisses());
    assertEquals(
        cold.getBlockCacheHits() + warm.getBlockCacheHits(), stats(family).getBlockCacheHits());
  }

  private void positionsOfRows(String name) {
    String family = cluster.family("Positions_" + name);
    for (int i = 0; i < 20; i++) {
      cluster.insert(0, family, "row" + i, "a", "1");
    }
    cluster.flush(0, family);
    cluster.read(0, family, "row7");
    assertEquals(0, stats(family).getKeyCacheHits());
    assertEquals(0, stats(family).getKeyCacheHitRate());
    cluster.read(0, family, "row7");
    assertEquals(1, stats(family).getKeyCacheHits());
    assertEquals(0.5, stats(family).getKeyCacheHitRate());
    cluster.read(0, family, "row7");
    cluster.read(0, family, "row7");
    assertEquals(3, stats(family).getKeyCacheHits());
    assertEquals(0.75, stats(family).getKeyCacheHitRate());
  }

  private void rowsInMemory(String name) {
    String family =
        cluster.family(
            FigureScenario.definition("Rows_" + name).with(FamilyField.ROWS_CACHED, "100"));
    cluster.insert(0, family, "row", "a", "1");
    cluster.flush(0, family);
    // Tried without the disk and repeated with it: one read, one miss.
    cluster.read(0, family, "row");
    assertEquals(1, stats(family).getRowCacheMisses());
    assertEquals(0, stats(family).getRowCacheHits());
    cluster.read(0, family, "row");
    cluster.read(0, family, "row");
    assertEquals(1, stats(family).getRowCacheMisses());
    assertEquals(2, stats(family).getRowCacheHits());
  }

  private void deletionsOnTheWay(String name) {
    String family = cluster.family("Tombstones_" + name);
    for (int i = 0; i < 3; i++) {
      Column column =
          FigureScenario.column("column" + i, "value").toBuilder().setTimestamp(1).build();
      cluster.insert(0, family, "row", column, ConsistencyLevel.CONSISTENCY_LEVEL_ALL);
    }
    assertEquals(0, cluster.cost(0, family, "row").getTombstonesScanned());
    for (int i = 0; i < 2; i++) {
      RemoveRequest request =
          RemoveRequest.newBuilder()
              .setKeyspace(FigureScenario.ALL)
              .setKey(FigureScenario.bytes("row"))
              .setColumnPath(
                  ColumnPath.newBuilder()
                      .setColumnFamily(family)
                      .setColumn(FigureScenario.bytes("column" + i)))
              .setTimestamp(2)
              .setOptions(
                  WriteOptions.newBuilder()
                      .setConsistencyLevel(ConsistencyLevel.CONSISTENCY_LEVEL_ALL))
              .build();
      var unused =
          cluster.call(0, channel -> ColumnStoreServiceGrpc.newFutureStub(channel).remove(request));
    }
    assertEquals(2, cluster.cost(0, family, "row").getTombstonesScanned());
    assertEquals(2, stats(family).getTombstonesScanned());
  }
}
