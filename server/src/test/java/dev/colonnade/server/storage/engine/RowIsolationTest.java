package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
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
import dev.colonnade.server.sim.GuardedFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
 * Method: real threads and a real disk; each batch puts one number into the columns of a row, and
 * into one of them a checksum of the number, and any read whose columns differ is torn. Small
 * memtables keep flushes and merges going all the while; in the end the store is restarted.
 *
 * <p>What is promised: a page is of one moment, also when it has several super columns. A slice
 * that takes several pages is of as many moments, each later than the one before; so it may show a
 * newer batch from some page on, and never an older one.
 */
class RowIsolationTest {

  private static final int COLUMNS = 16;
  private static final int SUPER_COLUMNS = 4;
  private static final int ROWS = 4;

  /** However slow the machine, one flush comes while threads read and write. */
  private static final int FLUSHED_AT = 100;

  private static final long READS = Long.getLong("colonnade.isolation.reads", 100_000);

  /** A thousand reads a second is slow even for a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(5).plusMillis(READS);

  /** A few columns of a row, whatever they are called. */
  private static final int SMALL_PAGE_BYTES = 160;

  private static final int LARGE_PAGE_BYTES = 1 << 20;

  @TempDir Path directory;

  /** One way of keeping and reading rows, with its share of all reads. */
  private record Trial(boolean superFamily, String rowsCached, int pageBytes, long reads) {

    FamilyDefinition definition() {
      FamilyDefinition definition =
          superFamily
              ? FamilyDefinition.superFamily("Isolation", "Rows", "BytesType", "BytesType")
              : FamilyDefinition.standard("Isolation", "Rows", "BytesType");
      return definition
          .with(FamilyField.ROWS_CACHED, rowsCached)
          .with(FamilyField.MEMTABLE_MAX_OPERATIONS, 20_000);
    }
  }

  @Test
  void noReaderSeesHalfOfABatchInMemoryOrFiles() throws Exception {
    run(new Trial(false, "0", LARGE_PAGE_BYTES, READS * 4 / 10));
  }

  @Test
  void noReaderSeesHalfOfABatchInTheRowCache() throws Exception {
    run(new Trial(false, "100", LARGE_PAGE_BYTES, READS * 2 / 10));
  }

  @Test
  void noReaderSeesSomeOfTheSuperColumnsOfABatch() throws Exception {
    run(new Trial(true, "0", LARGE_PAGE_BYTES, READS * 2 / 10));
  }

  @Test
  void pagesInsideARowAreWholeAndNeverOlderThanThoseBefore() throws Exception {
    run(new Trial(false, "0", SMALL_PAGE_BYTES, READS * 2 / 10));
  }

  private void run(Trial trial) throws Exception {
    Opened store = new Opened(directory, trial);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      run(trial, store, threads);
    } finally {
      threads.shutdownNow();
      store.close();
    }
    Opened again = new Opened(directory, trial);
    try {
      Load load = new Load(again, trial);
      for (int row = 0; row < ROWS; row++) {
        assertTrue(load.readRow(row, false, 1) > 0, "a row is whole after a restart");
      }
    } finally {
      again.close();
    }
  }

  private static void run(Trial trial, Opened store, ExecutorService threads) throws Exception {
    Load load = new Load(store, trial);
    List<Future<?>> running = new ArrayList<>();
    running.add(threads.submit(() -> load.write(0)));
    running.add(threads.submit(() -> load.write(1)));
    running.add(threads.submit(() -> load.read(0)));
    running.add(threads.submit(() -> load.read(1)));
    for (Future<?> each : running) {
      each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    assertTrue(load.reads.get() >= trial.reads());
    assertTrue(load.batches.get() > FLUSHED_AT, "there was something to tear: " + load.batches);
    FamilyFigures figures = store.engine.figures(store.family.id()).orElseThrow();
    assertTrue(
        figures.count(FamilyFigure.FLUSHES_ON_DEMAND)
                + figures.count(FamilyFigure.FLUSHES_BY_OPERATIONS)
            > 0);
  }

  private static <T> T await(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** A store on the real machine. */
  private static final class Opened {
    private final StageScheduler scheduler = new StageScheduler(StageSizes.forProcessors(2));
    private final GuardedFileSystem files;
    private final StorageEngine engine;
    private final ColumnFamily family;

    Opened(Path directory, Trial trial) throws Exception {
      OsFileSystem root = OsFileSystem.open(directory);
      files = new GuardedFileSystem(root, scheduler);
      Environment environment =
          new Environment(
              new SystemClock(),
              scheduler,
              new SeededRandom(1),
              files,
              files,
              new ChronicleKeyIndexes(root));
      EngineSettings settings =
          EngineSettingsBuilder.forHeap(64 << 20)
              .withLog(new CommitLogSettings(1 << 20, 8 << 20, 1 << 20))
              .withSSTables(SSTableSettings.DEFAULT.withBlockBytes(1 << 10, 1 << 10))
              .build();
      StorageOpening.Opened opened =
          StorageOpening.open(
              environment,
              settings,
              new NodeIdentity(1, 2, "test", "RandomPartitioner"),
              ComparatorResolver.builtIns(),
              new Health());
      files.enforce(true);
      engine = opened.engine();
      LocalSchema schema =
          new LocalSchema(
              engine,
              opened.schema(),
              Partitioners.RANDOM,
              environment.clock(),
              scheduler,
              new SeededRandom(2),
              new IncreasingTimestamps(environment.clock()));
      if (schema.current().keyspace("Isolation").isEmpty()) {
        await(schema.createKeyspace(KeyspaceDefinition.of("Isolation")));
        await(schema.createFamily(trial.definition()));
      }
      family = schema.current().requireFamily("Isolation", "Rows");
    }

    void close() throws Exception {
      await(engine.stop());
      scheduler.drain(PATIENCE);
      scheduler.abandon();
      files.check();
      files.enforce(false);
      engine.release();
    }
  }

  /** What the threads do. */
  private static final class Load {
    private final StorageEngine engine;
    private final Trial trial;
    private final ColumnFamily family;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong batches = new AtomicLong();
    private final AtomicBoolean failed = new AtomicBoolean();

    Load(Opened store, Trial trial) {
      this.engine = store.engine;
      this.trial = trial;
      this.family = store.family;
    }

    private boolean goesOn() {
      return reads.get() < trial.reads() && !failed.get();
    }

    private static RowKey key(int row) throws Exception {
      return Partitioners.RANDOM.rowKey(new byte[] {(byte) row});
    }

    Void write(int seed) throws Exception {
      Random random = new Random(seed);
      while (goesOn()) {
        long number = numbers.incrementAndGet();
        RowUpdate.Builder update = RowUpdate.builder(family.order());
        if (number % 8 == 0) {
          // A batch that deletes and writes is as much one thing as any other.
          update.deleteRow(new DeletionTime(number - 1, 1));
        }
        for (int column = 0; column < COLUMNS; column++) {
          byte[] top = name(trial.superFamily() ? column % SUPER_COLUMNS : column);
          update.add(
              Cell.live(
                  top, trial.superFamily() ? name(column) : null, value(column, number), number));
        }
        Mutation mutation =
            new Mutation(
                key(random.nextInt(ROWS)),
                List.of(new Mutation.FamilyMutation(family.id(), update.build())),
                0);
        write(mutation);
      }
      return null;
    }

    /**
     * A batch that is refused because the disk is behind leaves nothing, and the next one waits.
     */
    private void write(Mutation mutation) throws Exception {
      try {
        await(engine.write(mutation, true));
        if (batches.incrementAndGet() == FLUSHED_AT) {
          await(engine.flush(family.id()));
        }
      } catch (ExecutionException refused) {
        if (!(refused.getCause() instanceof OverloadedException)) {
          throw refused;
        }
        await(engine.flush(family.id()));
      }
    }

    Void read(int seed) throws Exception {
      Random random = new Random(seed);
      long[] seen = new long[ROWS];
      while (goesOn()) {
        int row = random.nextInt(ROWS);
        seen[row] = readRow(row, random.nextBoolean(), seen[row]);
        reads.incrementAndGet();
      }
      return null;
    }

    /** Reads a row page by page; gives the newest batch that it saw. */
    private long readRow(int row, boolean reversed, long seenBefore) throws Exception {
      Slice slice =
          new Slice(List.of(PathRange.ALL), reversed, trial.superFamily(), Long.MAX_VALUE);
      Optional<SlicePosition> from = Optional.empty();
      long seen = seenBefore;
      int cells = 0;
      int pages = 0;
      do {
        SliceCommand query = new SliceCommand(key(row), slice, from, trial.pageBytes(), 1);
        RowPage page = await(engine.read(family.id(), query, ListedPages.ROW)).result();
        seen = check(page.cells(), seen);
        cells += page.cells().size();
        pages++;
        from = page.next();
      } while (from.isPresent());
      // Each batch writes all columns, so every one of them is there in any page that covers it.
      if (cells != COLUMNS && (cells > 0 || seenBefore > 0)) {
        failed.set(true);
        throw new AssertionError(cells + " columns of a batch in " + pages + " pages");
      }
      return seen;
    }

    private long check(List<Cell> cells, long seenBefore) {
      if (cells.isEmpty()) {
        return seenBefore;
      }
      long number = cells.get(0).timestamp();
      boolean whole = number >= seenBefore;
      for (Cell cell : cells) {
        int column = cell.name()[cell.name().length - 1] - 'a';
        whole &= cell.timestamp() == number;
        whole &= Arrays.equals(value(column, number), cell.value());
      }
      if (!whole) {
        failed.set(true);
        throw new AssertionError("torn, or older than batch " + seenBefore + ": " + cells);
      }
      return number;
    }

    /** The number, or a checksum of it in the last column. */
    private static byte[] value(int column, long number) {
      long value = column == COLUMNS - 1 ? Long.hashCode(number * 0x9E3779B97F4A7C15L) : number;
      return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static byte[] name(int column) {
      return ("column" + (char) ('a' + column)).getBytes(StandardCharsets.UTF_8);
    }
  }
}
