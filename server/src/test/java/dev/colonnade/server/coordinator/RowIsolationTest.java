package dev.colonnade.server.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.adapter.ChronicleKeyIndexes;
import dev.colonnade.server.adapter.OsFileSystem;
import dev.colonnade.server.adapter.SeededRandom;
import dev.colonnade.server.adapter.StageScheduler;
import dev.colonnade.server.adapter.StageSizes;
import dev.colonnade.server.adapter.SystemClock;
import dev.colonnade.server.commitlog.CommitLogSettings;
import dev.colonnade.server.engine.EngineSettings;
import dev.colonnade.server.engine.FlushReason;
import dev.colonnade.server.engine.Mutation;
import dev.colonnade.server.engine.RowPage;
import dev.colonnade.server.engine.RowQuery;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.engine.StorageOpening;
import dev.colonnade.server.env.Environment;
import dev.colonnade.server.manifest.NodeIdentity;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.NameTypes;
import dev.colonnade.server.model.PathOrder;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.ring.Partitioners;
import dev.colonnade.server.schema.CacheSize;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.FamilyDefinition;
import dev.colonnade.server.schema.FamilyOptions;
import dev.colonnade.server.schema.MemtableLimits;
import dev.colonnade.server.schema.NameTypeResolver;
import dev.colonnade.server.sstable.SSTableSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a reader sees all of a batch or nothing of it, and never an older one than it saw before.
 * Method: real threads and a real disk; each batch puts one number into sixteen columns of a row,
 * and any read whose columns differ is torn. Small memtables keep flushes and merges going all the
 * while; with a row cache and without.
 */
class RowIsolationTest {

  private static final int COLUMNS = 16;
  private static final int ROWS = 4;
  private static final int READS = Integer.getInteger("colonnade.isolation.reads", 100_000);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir Path directory;

  @Test
  void noReaderSeesHalfOfABatchInMemoryOrFiles() throws Exception {
    run(CacheSize.NONE);
  }

  @Test
  void noReaderSeesHalfOfABatchInTheRowCache() throws Exception {
    run(new CacheSize(false, 100));
  }

  private void run(CacheSize rowsCached) throws Exception {
    StageScheduler scheduler = new StageScheduler(StageSizes.forProcessors(2));
    OsFileSystem files = OsFileSystem.open(directory);
    Environment environment =
        new Environment(
            new SystemClock(),
            scheduler,
            new SeededRandom(1),
            files,
            files,
            new ChronicleKeyIndexes(files));
    EngineSettings settings =
        EngineSettings.forHeap(64 << 20)
            .withLog(new CommitLogSettings(1 << 20, 8 << 20, 1 << 20))
            .withSSTables(SSTableSettings.DEFAULT.withBlockBytes(1 << 10, 1 << 10));
    StorageEngine engine =
        StorageOpening.open(
                environment,
                settings,
                new NodeIdentity(1, 2, "test", "RandomPartitioner"),
                NameTypeResolver.builtIns())
            .engine();
    ColumnFamily family = family(rowsCached);
    engine.addFamily(family);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Load load = new Load(engine, family);
      List<Future<?>> running = new ArrayList<>();
      running.add(threads.submit(() -> load.write(0)));
      running.add(threads.submit(() -> load.write(1)));
      running.add(threads.submit(() -> load.read(0)));
      running.add(threads.submit(() -> load.read(1)));
      for (Future<?> each : running) {
        each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      assertTrue(load.reads.get() >= READS);
      assertTrue(load.batches.get() > 100, "there was something to tear: " + load.batches);
      assertTrue(
          engine.figures(family.id()).orElseThrow().counters().flushes(FlushReason.OPERATIONS) > 2);
    } finally {
      threads.shutdownNow();
      engine.stop().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      scheduler.drain(PATIENCE);
      scheduler.abandon();
      engine.release();
    }
  }

  private static ColumnFamily family(CacheSize rowsCached) {
    FamilyOptions defaults = FamilyOptions.DEFAULT;
    FamilyOptions options =
        new FamilyOptions(
            "",
            defaults.keysCached(),
            rowsCached,
            0,
            defaults.gcGraceSeconds(),
            4,
            32,
            new MemtableLimits(64, 20_000, Duration.ofHours(1)),
            0);
    return new ColumnFamily(
        "Isolation",
        rowsCached.equals(CacheSize.NONE) ? "Plain" : "Cached",
        new FamilyId(5, rowsCached.hashCode()),
        new PathOrder(NameTypes.BYTES, null),
        options,
        FamilyDefinition.standard("Isolation", "Rows", "BytesType"));
  }

  /** What the threads do. */
  private static final class Load {
    private final StorageEngine engine;
    private final ColumnFamily family;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong batches = new AtomicLong();
    private final AtomicBoolean failed = new AtomicBoolean();

    Load(StorageEngine engine, ColumnFamily family) {
      this.engine = engine;
      this.family = family;
    }

    private boolean goesOn() {
      return reads.get() < READS && !failed.get();
    }

    private static RowKey key(int row) throws Exception {
      return Partitioners.RANDOM.rowKey(new byte[] {(byte) row});
    }

    Void write(int seed) throws Exception {
      Random random = new Random(seed);
      while (goesOn()) {
        long number = numbers.incrementAndGet();
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        RowUpdate.Builder update = RowUpdate.builder(family.order(), 0);
        for (int column = 0; column < COLUMNS; column++) {
          update.add(Cell.live(name(column), null, value, number));
        }
        Mutation mutation =
            new Mutation(
                key(random.nextInt(ROWS)),
                List.of(new Mutation.Part(family.id(), update.build())),
                0);
        engine.write(mutation, true).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        batches.incrementAndGet();
      }
      return null;
    }

    Void read(int seed) throws Exception {
      Random random = new Random(seed);
      long[] seen = new long[ROWS];
      Slice slice = new Slice(List.of(PathRange.ALL), random.nextBoolean(), false, Long.MAX_VALUE);
      while (goesOn()) {
        int row = random.nextInt(ROWS);
        RowQuery query = new RowQuery(key(row), slice, Optional.empty(), 1 << 20, false, 1);
        RowPage page = engine.read(family.id(), query).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        seen[row] = check(page.cells(), seen[row]);
        reads.incrementAndGet();
      }
      return null;
    }

    private long check(List<Cell> cells, long seenBefore) {
      if (cells.isEmpty() && seenBefore == 0) {
        return 0;
      }
      try {
        assertEquals(COLUMNS, cells.size(), "columns of a batch");
        for (Cell cell : cells) {
          assertEquals(cells.get(0).timestamp(), cell.timestamp(), "a torn row");
        }
        assertTrue(cells.get(0).timestamp() >= seenBefore, "an older row than before");
        return cells.get(0).timestamp();
      } catch (AssertionError torn) {
        failed.set(true);
        throw torn;
      }
    }

    private static byte[] name(int column) {
      return ("column" + (char) ('a' + column)).getBytes(StandardCharsets.UTF_8);
    }
  }
}
