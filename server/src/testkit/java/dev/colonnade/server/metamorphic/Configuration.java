package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.FileSettings;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.engine.WorkSteps;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * How a store is set up and what it does by itself.
 *
 * @param fields of the families' definitions that lists cannot change
 * @param flushesEachWrite whether each write goes to a file of its own at once
 * @param compactsEach all files are merged after this number of operations; 0 for never
 * @param mergesPairsEach after this number of operations the two smallest files are merged until
 *     one is left, each time without the others; 0 for never
 * @param restartsEach the store is restarted after this number of operations; 0 for never
 * @param fault what stands between store and reader, to try the suite itself; usually nothing
 */
record Configuration(
    String name,
    EngineSettings settings,
    Partitioner partitioner,
    Map<FamilyField, String> fields,
    boolean flushesEachWrite,
    int compactsEach,
    int mergesPairsEach,
    int restartsEach,
    Target.Restart restart,
    UnaryOperator<RowStore> fault) {

  private static final EngineSettings BASE =
      EngineSettingsBuilder.of(SimulatedStore.TINY)
          .withCaches(1 << 20, 1_000, 1 << 20)
          .withLog(new CommitLogSettings(64 << 10, 1 << 20, 1 << 20))
          .build();

  private static final SSTableSettings FILES = BASE.sstables();

  static final Map<FamilyField, String> MERGES_PAIRS =
      Map.of(FamilyField.MIN_COMPACTION_THRESHOLD, "2", FamilyField.MAX_COMPACTION_THRESHOLD, "2");

  private static final Map<FamilyField, String> NEVER_MERGES =
      Map.of(FamilyField.MIN_COMPACTION_THRESHOLD, "0", FamilyField.MAX_COMPACTION_THRESHOLD, "0");

  /** A configuration that differs from the plain one in settings only. */
  static Configuration of(String name, EngineSettings settings) {
    return new Configuration(
        name,
        settings,
        Partitioners.RANDOM,
        Map.of(),
        false,
        0,
        0,
        0,
        Target.Restart.STOP,
        UnaryOperator.identity());
  }

  /** All of them; the first is the plain one. */
  static List<Configuration> all() {
    EngineSettings periodic =
        EngineSettingsBuilder.of(BASE).withSync(false, Duration.ofSeconds(1)).build();
    return List.of(
        of("plain", BASE),
        of("filter off", files(FileSettings.withBloomBitsPerKey(FILES, 0))),
        of("key cache off", EngineSettingsBuilder.of(BASE).withCaches(1 << 20, 0, 1 << 20).build()),
        of("block cache off", EngineSettingsBuilder.of(BASE).withCaches(0, 1_000, 1 << 20).build()),
        of(
                "blocks outside of the heap alone",
                EngineSettingsBuilder.of(files(FILES.withBlockBytes(64, 64)))
                    .withCaches(0, 0, 0)
                    .withOffHeapBlockCacheBytes(2 << 10)
                    .build())
            .flushing(),
        of("row cache on", BASE).with(Map.of(FamilyField.ROWS_CACHED, "100")),
        of("row cache for two rows", EngineSettingsBuilder.of(BASE).withCaches(0, 0, 1_200).build())
            .with(Map.of(FamilyField.ROWS_CACHED, "100"))
            .flushing(),
        of("blocks of 64 bytes", files(FILES.withBlockBytes(64, 16 << 10))).flushing(),
        of("index nodes of 64 bytes", files(FILES.withBlockBytes(64, 64))).compacting(3),
        of("blocks of 64 KiB", files(FILES.withBlockBytes(64 << 10, 64 << 10))),
        of("compression off", files(FILES.withCompression(SSTableSettings.BlockCompression.NONE))),
        of("key index for every file", files(FileSettings.withKeyIndexMinRows(FILES, 1)))
            .flushing(),
        of("no key index", files(FileSettings.withKeyIndexMinRows(FILES, Long.MAX_VALUE)))
            .flushing(),
        of("flush after each write, never merge", BASE).with(NEVER_MERGES).flushing(),
        of("flush after each write, merge pairs", BASE).with(MERGES_PAIRS).flushing(),
        of("merge everything all the time", BASE).with(MERGES_PAIRS).compacting(2),
        of("merge pairs now and then", BASE).mergingPairs(9),
        of("periodic sync", periodic),
        of(
            "log segments of 1 KiB",
            EngineSettingsBuilder.of(BASE)
                .withLog(new CommitLogSettings(1 << 10, 4 << 10, 1 << 20))
                .build()),
        of("restart after each 5", periodic).restarting(5, Target.Restart.STOP),
        of("kill after each 4", periodic).restarting(4, Target.Restart.KILL),
        of("power cut after each 3", BASE).restarting(3, Target.Restart.POWER_CUT).flushing(),
        of(
                "smallest steps of work",
                EngineSettingsBuilder.of(BASE).withSteps(new WorkSteps(2, 1, 1, 20_000)).build())
            .compacting(4),
        of("order preserving", BASE).with(Partitioners.ORDER_PRESERVING),
        of("collating order preserving", BASE).with(Partitioners.COLLATING_ORDER_PRESERVING),
        of(
                "byte ordered, with everything small or off",
                EngineSettingsBuilder.of(
                        files(
                            FileSettings.withKeyIndexMinRows(
                                FileSettings.withBloomBitsPerKey(FILES.withBlockBytes(64, 64), 0),
                                1)))
                    .withCaches(0, 0, 1_200)
                    .withSteps(new WorkSteps(2, 1, 1, 20_000))
                    .build())
            .with(Partitioners.BYTE_ORDERED)
            .with(Map.of(FamilyField.ROWS_CACHED, "3", FamilyField.MEMTABLE_MAX_OPERATIONS, "5"))
            .restarting(7, Target.Restart.POWER_CUT));
  }

  /** Those under which deletions are purged soonest, and those under which they never are. */
  static List<Configuration> purging() {
    return all().stream().filter(one -> PURGING.contains(one.name())).toList();
  }

  private static final List<String> PURGING =
      List.of(
          "row cache for two rows",
          "blocks of 64 bytes",
          "index nodes of 64 bytes",
          "flush after each write, merge pairs",
          "merge pairs now and then",
          "merge everything all the time",
          "log segments of 1 KiB",
          "kill after each 4",
          "power cut after each 3",
          "smallest steps of work");

  private static EngineSettings files(SSTableSettings files) {
    return EngineSettingsBuilder.of(BASE).withSSTables(files).build();
  }

  private Configuration with(Map<FamilyField, String> other) {
    return new Configuration(
        name,
        settings,
        partitioner,
        other,
        flushesEachWrite,
        compactsEach,
        mergesPairsEach,
        restartsEach,
        restart,
        fault);
  }

  private Configuration with(Partitioner other) {
    return new Configuration(
        name,
        settings,
        other,
        fields,
        flushesEachWrite,
        compactsEach,
        mergesPairsEach,
        restartsEach,
        restart,
        fault);
  }

  private Configuration flushing() {
    return new Configuration(
        name,
        settings,
        partitioner,
        fields,
        true,
        compactsEach,
        mergesPairsEach,
        restartsEach,
        restart,
        fault);
  }

  private Configuration compacting(int each) {
    return new Configuration(
        name,
        settings,
        partitioner,
        fields,
        flushesEachWrite,
        each,
        mergesPairsEach,
        restartsEach,
        restart,
        fault);
  }

  private Configuration mergingPairs(int each) {
    return new Configuration(
        name,
        settings,
        partitioner,
        NEVER_MERGES,
        true,
        compactsEach,
        each,
        restartsEach,
        restart,
        fault);
  }

  private Configuration restarting(int each, Target.Restart how) {
    return new Configuration(
        name,
        settings,
        partitioner,
        fields,
        flushesEachWrite,
        compactsEach,
        mergesPairsEach,
        each,
        how,
        fault);
  }

  /** With something between store and reader. */
  Configuration with(UnaryOperator<RowStore> other) {
    return new Configuration(
        name,
        settings,
        partitioner,
        fields,
        flushesEachWrite,
        compactsEach,
        mergesPairsEach,
        restartsEach,
        restart,
        other);
  }

  RowStore seenBy(RowStore store) {
    return fault.apply(store);
  }

  @Override
  public String toString() {
    return name;
  }
}
