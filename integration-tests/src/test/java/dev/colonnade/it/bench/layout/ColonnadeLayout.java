package dev.colonnade.it.bench.layout;

import dev.colonnade.it.bench.DataFiles;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.node.platform.ChronicleKeyIndexes;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.node.platform.StageScheduler;
import dev.colonnade.server.node.platform.StageSizes;
import dev.colonnade.server.node.platform.SystemClock;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.schemasync.LocalSchema;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StorageOpening;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The storage engine of a node, without the node. */
final class ColonnadeLayout implements LayoutStore {

  private static final String KEYSPACE = "Layout";
  private static final String FAMILY = "Rows";
  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final long PAGE_BYTES = 2 << 20;

  private final Path directory;
  private final LayoutShape shape;
  private final long memoryBytes;
  private final CountedFiles counted = new CountedFiles();
  private Opened open;

  private record Opened(StageScheduler scheduler, StorageEngine engine, ColumnFamily family) {}

  /**
   * Creates a store.
   *
   * @param memoryBytes for memtables, before they are flushed
   */
  ColonnadeLayout(Path directory, LayoutShape shape, long memoryBytes) throws Exception {
    this.directory = directory;
    this.shape = shape;
    this.memoryBytes = memoryBytes;
    this.open = opened();
  }

  private Opened opened() throws Exception {
    StageScheduler scheduler = new StageScheduler(StageSizes.forProcessors(2));
    OsFileSystem root = OsFileSystem.open(directory);
    var files = counted.counted(root);
    var clock = new SystemClock();
    EngineSettings settings =
        EngineSettingsBuilder.forHeap(256 << 20)
            .withMemtableBytesMax(memoryBytes)
            .withCaches(0, 0, 0)
            .withCompactionBytesPerSecond(0)
            .build();
    StorageOpening.Opened opened =
        StorageOpening.open(
            new Environment(
                clock, scheduler, new SeededRandom(1), files, files, new ChronicleKeyIndexes(root)),
            settings,
            new NodeIdentity(1, 2, "layout", "RandomPartitioner"),
            ComparatorResolver.builtIns(),
            new Health());
    LocalSchema schema =
        new LocalSchema(
            opened.engine(),
            opened.schema(),
            Partitioners.RANDOM,
            clock,
            scheduler,
            new SeededRandom(2),
            new IncreasingTimestamps(clock));
    if (schema.current().keyspace(KEYSPACE).isEmpty()) {
      await(schema.createKeyspace(KeyspaceDefinition.of(KEYSPACE)));
      await(
          schema.createFamily(
              shape.supers()
                  ? FamilyDefinition.superFamily(KEYSPACE, FAMILY, "BytesType", "BytesType")
                  : FamilyDefinition.standard(KEYSPACE, FAMILY, "BytesType")));
    }
    return new Opened(scheduler, opened.engine(), schema.current().requireFamily(KEYSPACE, FAMILY));
  }

  @Override
  public void insert(LayoutShape.Insert insert) throws Exception {
    RowUpdate.Builder update = RowUpdate.builder(open.family().order());
    byte[] superColumn = insert.superColumn();
    for (LayoutShape.Column column : insert.columns()) {
      update.add(
          superColumn == null
              ? Cell.live(column.name(), null, column.value(), 1)
              : Cell.live(superColumn, column.name(), column.value(), 1));
    }
    await(
        open.engine()
            .write(
                new Mutation(
                    key(insert.key()),
                    List.of(new Mutation.FamilyMutation(open.family().id(), update.build())),
                    0),
                true));
  }

  @Override
  public void settle() throws Exception {
    await(open.engine().flush(open.family().id()));
    await(open.engine().compact(open.family().id(), progress -> {}));
  }

  @Override
  public Map<String, Long> bytesOnDisk() throws IOException {
    return DataFiles.bytesByPart(directory, KEYSPACE);
  }

  @Override
  public void reopenCold() throws Exception {
    close();
    open = opened();
  }

  @Override
  public int read(byte[] key) throws Exception {
    Slice slice = new Slice(List.of(PathRange.ALL), false, false, 10);
    SliceCommand command = new SliceCommand(key(key), slice, Optional.empty(), PAGE_BYTES, 1);
    return await(open.engine().read(open.family().id(), command, ListedPages.ROW))
        .result()
        .cells()
        .size();
  }

  @Override
  public FileCalls calls() {
    return counted.calls();
  }

  @Override
  public void close() throws IOException {
    try {
      await(open.engine().stop());
      open.scheduler().drain(PATIENCE);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("the store did not stop", e);
    } finally {
      open.scheduler().abandon();
      open.engine().release();
    }
  }

  private static RowKey key(byte[] key) throws Exception {
    return Partitioners.RANDOM.rowKey(key);
  }

  private static <T> T await(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }
}
