package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.admin.LocalOperations;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.service.replica.TouchRead;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a store does when its disk fails, its heap runs short, or work is cancelled. */
class StoreFaultsTest {
  private static final EngineSettings ROOMY =
      EngineSettingsBuilder.of(SimulatedStore.TINY).withLog(CommitLogSettings.defaults()).build();

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;

  @BeforeEach
  void open() throws Exception {
    open(SimulatedStore.TINY);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
  }

  private void open(EngineSettings settings) throws Exception {
    store = SimulatedStore.open(disk, settings, clock);
  }

  private void reopen(EngineSettings settings) throws Exception {
    store.close();
    open(settings);
  }

  @Test
  void lateRecordsOfADroppedFamilyDoNotKeepTheLog() {
    ColumnFamily dropped = create("Dropped");
    ColumnFamily other = create("Other");
    store.await(store.schema().dropFamily("K", "Dropped"));
    store.await(write(dropped, "row", "late", 1));
    for (int i = 0; i < 200; i++) {
      store.await(write(other, "row" + i, "x".repeat(500), i));
    }
    store.await(store.engine().flush(other.id()));
    store.scheduler().runUntilIdle();
    assertTrue(
        store.engine().figures().log().segments() <= 3,
        "segments left: " + store.engine().figures().log().segments());
  }

  @Test
  void manyFamiliesOfEqualSizeDoNotLeaveTheStoreFull() throws Exception {
    reopen(
        EngineSettingsBuilder.of(ROOMY)
            .withMemtableBytesMax(3 << 20)
            .withSync(false, Duration.ofSeconds(1))
            .build());
    List<ColumnFamily> families = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      families.add(create("Family" + i));
    }
    boolean refused = false;
    for (int i = 0; i < 8_000 && !refused; i++) {
      CompletableFuture<Void> write = write(families.get(i % 40), "row" + i, "x".repeat(900), i);
      refused = write.isCompletedExceptionally();
    }
    assertTrue(refused, "the heap never ran short");
    store.scheduler().advance(Duration.ofSeconds(3));
    store.await(write(families.get(0), "after", "v", 1));
  }

  @Test
  void aCompactionThatIsCancelledStopsAndLeavesTheFilesAsTheyAre() throws Exception {
    reopen(ROOMY);
    ColumnFamily first = twoFiles("First");
    ColumnFamily second = twoFiles("Second");
    CompletableFuture<Void> work = operations().compact(List.of(first, second), progress -> {});
    int before = files(first);
    store.scheduler().runUntil(() -> filesNow(first) > before, Duration.ofMinutes(1));
    assertFalse(work.isDone());
    work.cancel(false);
    store.scheduler().advance(Duration.ofMinutes(5));
    assertEquals(2, sstables(first));
    assertEquals(2, sstables(second));
    store.await(operations().compact(List.of(first, second), progress -> {}));
    assertEquals(1, sstables(first));
    assertEquals(1, sstables(second));
  }

  @Test
  void aCompactionReportsItsEndBeforeItIsDone() {
    ColumnFamily family = twoFiles("Reported");
    List<NodeOperations.WorkProgress> reports = new ArrayList<>();
    store.await(operations().compact(List.of(family), reports::add));
    NodeOperations.WorkProgress last = reports.get(reports.size() - 1);
    assertEquals(last.total(), last.done());
  }

  @Test
  void onlyTheDamagedFileIsLeftOutOfLaterMerges() throws Exception {
    reopen(ROOMY);
    ColumnFamily family = create("Damaged");
    for (int file = 1; file <= 10; file++) {
      if (file == 4) {
        disk.flipBit(directory(family) + "/000000000001-Data.db", 8 * 1_000);
      }
      store.await(write(family, "row" + file, letters(3_000, file), file));
      store.await(store.engine().flush(family.id()));
      store.scheduler().advance(Duration.ofMinutes(1));
    }
    assertTrue(sstables(family) < 6, "files: " + sstables(family));
  }

  @Test
  void touchSaysWhetherThereIsARow() {
    ColumnFamily plain = create("Plain");
    ColumnFamily cached = create(definition("Cached").with(FamilyField.ROWS_CACHED, "10"));
    for (ColumnFamily family : List.of(plain, cached)) {
      store.await(write(family, "row", "v", 1));
      store.await(write(family, "wide", "x".repeat(1_000_000), 1));
      store.await(write(family, "wide", "d", "x".repeat(1_000_000), 1));
      assertEquals(1, touch(family, "row"));
      assertEquals(1, touch(family, "wide"));
      assertEquals(0, touch(family, "absent"));
    }
  }

  @Test
  void rangeDeletionsWithLongNamesCountAsTheHeapThatTheyTake() {
    ColumnFamily family = create("Ranges");
    RowUpdate.Builder update = RowUpdate.builder(family.order());
    for (int i = 0; i < 10; i++) {
      byte[] name = bytes(i + "n".repeat(40_000));
      update.deleteRange(
          new PathRange(Bound.before(name), Bound.after(name)), new DeletionTime(i, 1));
    }
    store.await(
        store
            .engine()
            .write(
                new Mutation(
                    key("row"),
                    List.of(new Mutation.FamilyMutation(family.id(), update.build())),
                    0),
                true));
    assertTrue(memtableBytes("Ranges") > 800_000, "counted: " + memtableBytes("Ranges"));
  }

  private LocalOperations operations() {
    return store.operations();
  }

  private ColumnFamily twoFiles(String name) {
    ColumnFamily family = create(name);
    for (int file = 0; file < 2; file++) {
      for (int i = 0; i < 1_500; i++) {
        store.await(write(family, "row" + i, "v" + file, file));
      }
      store.await(store.engine().flush(family.id()));
    }
    return family;
  }

  private int sstables(ColumnFamily family) {
    return (int) store.engine().figure(family.id(), FamilyFigure.SSTABLES);
  }

  private int touch(ColumnFamily family, String key) {
    TouchRead touch = new TouchRead(family, List.of(key(key)), true, Long.MAX_VALUE);
    return store.await(store.coordinator().touch(touch));
  }

  private long memtableBytes(String family) {
    return (long)
        store.engine().figure(store.family("K", family).id(), FamilyFigure.MEMTABLE_BYTES);
  }

  private int files(ColumnFamily family) throws IOException {
    return disk.list(directory(family)).size();
  }

  private int filesNow(ColumnFamily family) {
    try {
      return files(family);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String letters(int count, long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(count);
    for (int i = 0; i < count; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private static String directory(ColumnFamily family) {
    return "keyspaces/K/" + family.name() + "-" + family.id();
  }

  private static FamilyDefinition definition(String name) {
    return FamilyDefinition.standard("K", name, "UTF8Type");
  }

  private ColumnFamily create(String name) {
    return create(definition(name));
  }

  private ColumnFamily create(FamilyDefinition definition) {
    store.await(store.schema().createFamily(definition));
    return store.family("K", definition.name());
  }

  private RowKey key(String text) {
    return store.key(text);
  }

  private CompletableFuture<Void> write(
      ColumnFamily family, String key, String value, long timestamp) {
    return write(family, key, "c", value, timestamp);
  }

  private CompletableFuture<Void> write(
      ColumnFamily family, String key, String column, String value, long timestamp) {
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live(bytes(column), null, bytes(value), timestamp))
            .build();
    return store
        .engine()
        .write(
            new Mutation(key(key), List.of(new Mutation.FamilyMutation(family.id(), update)), 0),
            true);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
