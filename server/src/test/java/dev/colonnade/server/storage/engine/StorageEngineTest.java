package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.replica.TouchRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a store does at its limits: overload, a failing log, runs of tombstones, caches. */
class StorageEngineTest {
  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;

  @BeforeEach
  void open() throws Exception {
    store = SimulatedStore.open(disk, SimulatedStore.TINY, clock);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
  }

  /** A family of a store with small memtables, whose first flush will stand still for a while. */
  private ColumnFamily busyFamily(long memtableBytesMax, Duration stall) throws Exception {
    EngineSettings small =
        EngineSettingsBuilder.of(SimulatedStore.TINY)
            .withMemtableBytesMax(memtableBytesMax)
            .withSync(false, Duration.ofSeconds(1))
            .withLog(CommitLogSettings.defaults())
            .build();
    store.close();
    store = SimulatedStore.open(disk, small, clock);
    ColumnFamily family = create(definition("Busy"));
    disk.plan().add(FileFault.STALL).on(FileOperation.CREATE).lasting(stall).once();
    return family;
  }

  /**
   * Rows of 40,000 bytes that are written one a millisecond; each write is added when it begins.
   */
  private List<CompletableFuture<AskedReplicas>> writesToCome(ColumnFamily family, int count) {
    List<CompletableFuture<AskedReplicas>> writes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String row = "row" + i;
      Runnable write = () -> writes.add(write(family, row, "c", "x".repeat(40_000), 1));
      store
          .scheduler()
          .after(Duration.ofMillis(i + 1), Stage.TIMER, () -> store.scheduler().outside(write));
    }
    return writes;
  }

  @Test
  void writesAreRefusedWhileTheDiskIsBehindAndTakenAgainAfter() throws Exception {
    ColumnFamily family = busyFamily(3 << 20, Duration.ofMinutes(1));
    List<CompletableFuture<AskedReplicas>> writes = writesToCome(family, 400);
    store.scheduler().advance(Duration.ofSeconds(30));
    assertEquals(1, disk.plan().fired());
    assertEquals(400, writes.size());
    assertTrue(writes.get(0).isDone() && !writes.get(0).isCompletedExceptionally());
    Throwable refusal = assertThrows(CompletionException.class, writes.get(399)::join).getCause();
    assertInstanceOf(CoordinationException.Overloaded.class, refusal);
    assertTrue(String.valueOf(refusal).contains("memtables"), String.valueOf(refusal));
    assertEquals("x".repeat(40_000), get(family, "row0", "c"));
    store.scheduler().runUntilIdle();
    put(family, "after", "c", "v", 1);
    assertEquals("v", get(family, "after", "c"));
    assertEquals("x".repeat(40_000), get(family, "row0", "c"));
  }

  @Test
  void writesWaitForAFlushThatMakesRoomInTime() throws Exception {
    ColumnFamily family = busyFamily(1 << 20, Duration.ofSeconds(4));
    List<CompletableFuture<AskedReplicas>> writes = writesToCome(family, 100);
    List<Long> waiting = new ArrayList<>();
    Runnable look = () -> waiting.add(writes.stream().filter(write -> !write.isDone()).count());
    store.scheduler().after(Duration.ofSeconds(2), Stage.TIMER, look);
    store.scheduler().advance(Duration.ofSeconds(8));
    assertEquals(1, disk.plan().fired());
    assertTrue(waiting.get(0) > 50, waiting + " writes waited for the flush");
    for (int i = 0; i < 100; i++) {
      assertTrue(writes.get(i).isDone(), "write " + i);
      writes.get(i).join();
      assertEquals("x".repeat(40_000), get(family, "row" + i, "c"));
    }
  }

  @Test
  void aFailedSyncOfTheLogIsFinalForWritesAndReadsGoOn() {
    ColumnFamily family = create(definition("Broken"));
    put(family, "row", "c", "before", 1);
    disk.failAt(disk.operations() + 2);
    CompletableFuture<AskedReplicas> lost = write(family, "row", "c", "during", 2);
    store.scheduler().runUntil(lost::isDone, Duration.ofMinutes(1));
    assertInstanceOf(
        CoordinationException.StorageFailed.class,
        assertThrows(CompletionException.class, lost::join).getCause());
    CompletableFuture<AskedReplicas> later = write(family, "row", "c", "after", 3);
    store.scheduler().runUntil(later::isDone, Duration.ofMinutes(1));
    assertInstanceOf(
        CoordinationException.NodeNotReady.class,
        assertThrows(CompletionException.class, later::join).getCause());
    assertTrue(store.engine().failure().isPresent());
    assertEquals("before", get(family, "row", "c"));
  }

  @Test
  void aSchemaChangeThatIsHeldUpIsToldInTimeAndGoesOn() {
    CompletableFuture<String> change = new CompletableFuture<>();
    long deadlineNanos = clock.monotonicNanos() + Duration.ofSeconds(3).toNanos();
    CompletableFuture<String> told = store.schema().inTime(change, deadlineNanos);
    store.scheduler().advance(Duration.ofSeconds(2));
    assertFalse(told.isDone());
    store.scheduler().advance(Duration.ofSeconds(2));
    assertInstanceOf(
        CoordinationException.ReplicaTimeout.class,
        assertThrows(CompletionException.class, told::join).getCause());
    assertFalse(change.isDone());
    change.complete("version");
    assertEquals("version", store.schema().inTime(change, deadlineNanos).join());
  }

  /** Said in the contract to be no timestamp: equal in memory, in files and after merges. */
  @Test
  void theSmallestTimestampDeletesNothingInMemoryAndInFiles() {
    ColumnFamily family = create(definition("Smallest"));
    put(family, "row", "c", "v", Long.MIN_VALUE);
    put(family, "row", "d", "v", 1);
    RowUpdate.Builder update = RowUpdate.builder(family.order());
    update.deleteRow(new DeletionTime(Long.MIN_VALUE, clock.wallSeconds()));
    update.deleteRange(
        new PathRange(Bound.START, Bound.END),
        new DeletionTime(Long.MIN_VALUE, clock.wallSeconds()));
    assertTrue(update.build().isEmpty());
    for (int round = 0; round < 3; round++) {
      assertEquals("v", get(family, "row", "c"));
      assertEquals("v", get(family, "row", "d"));
      store.await(store.engine().flush(family.id()));
      put(family, "row", "e" + round, "v", 1);
    }
    store.await(store.engine().compact(family.id(), progress -> {}));
    assertEquals("v", get(family, "row", "c"));
  }

  @Test
  void aSliceFindsWhatLiesBehindALongRunOfTombstones() {
    ColumnFamily family = create(definition("Tombstones"));
    RowKey row = key("row");
    for (int batch = 0; batch < 12; batch++) {
      RowUpdate.Builder update = RowUpdate.builder(family.order());
      for (int i = 0; i < 10_000; i++) {
        update.add(
            Cell.deleted(
                bytes(String.format(java.util.Locale.ROOT, "c%06d", batch * 10_000 + i)),
                null,
                new DeletionTime(1, clock.wallSeconds())));
      }
      store.await(
          store
              .coordinator()
              .write(
                  List.of(
                      new RowMutation(
                          row, List.of(new RowMutation.FamilyUpdate(family, update.build())))),
                  true,
                  Consistency.ONE,
                  Long.MAX_VALUE));
    }
    put(family, "row", "d", "oasis", 1);
    SlicePage page =
        store.await(
            store
                .coordinator()
                .read(
                    new SliceRead(
                        family,
                        row,
                        new Slice(List.of(PathRange.ALL), false, false, 1),
                        Optional.empty(),
                        1 << 20,
                        Consistency.ONE,
                        Long.MAX_VALUE,
                        PageSink.LISTS)));
    assertEquals(1, page.cells().size());
    assertEquals(120_000, page.cost().tombstones());
    assertEquals(
        1,
        store
            .await(
                store
                    .coordinator()
                    .read(
                        SliceRead.count(
                            family,
                            row,
                            new Slice(List.of(PathRange.ALL), true, false, Long.MAX_VALUE),
                            Consistency.ONE,
                            Long.MAX_VALUE)))
            .counted());
  }

  @Test
  void aTouchedRowIsServedFromTheCacheAndFollowsWrites() {
    ColumnFamily family = create(definition("Touched").with(FamilyField.ROWS_CACHED, "10"));
    put(family, "row", "a", "1", 1);
    store.await(store.engine().flush(family.id()));
    TouchRead touch =
        new TouchRead(family, List.of(key("row"), key("absent")), true, Long.MAX_VALUE);
    store.await(store.coordinator().touch(touch));
    long blocks = figures(family).count(FamilyFigure.BLOCK_CACHE_MISSES);
    long hits = figures(family).count(FamilyFigure.ROW_CACHE_HITS);
    assertEquals("1", get(family, "row", "a"));
    put(family, "row", "a", "2", 2);
    assertEquals("2", get(family, "row", "a"));
    assertEquals(blocks, figures(family).count(FamilyFigure.BLOCK_CACHE_MISSES));
    assertEquals(hits + 2, figures(family).count(FamilyFigure.ROW_CACHE_HITS));
  }

  @Test
  void aRowCacheCanBeSwitchedOnAndOffWhileRunning() {
    ColumnFamily family = create(definition("Switched"));
    put(family, "row", "a", "1", 1);
    assertEquals("1", get(family, "row", "a"));
    assertEquals(0, figures(family).count(FamilyFigure.ROW_CACHE_MISSES));
    store.await(
        store
            .schema()
            .updateFamily(definition("Switched").with(FamilyField.ROWS_CACHED, "5"), List.of()));
    store.scheduler().runUntilIdle();
    ColumnFamily cached = store.family("K", "Switched");
    assertEquals("1", get(cached, "row", "a"));
    put(cached, "row", "a", "2", 2);
    assertEquals("2", get(cached, "row", "a"));
    assertTrue(figures(cached).count(FamilyFigure.ROW_CACHE_HITS) > 0);
  }

  @Test
  void aDroppedFamilyShowsNothingInItsSuccessorEvenAfterARestart() throws Exception {
    ColumnFamily first = create(definition("Again"));
    put(first, "row", "a", "old", 1);
    store.await(store.engine().flush(first.id()));
    put(first, "row", "b", "old, in the log only", 1);
    store.await(store.schema().dropFamily("K", "Again"));
    ColumnFamily second = create(definition("Again"));
    assertFalse(first.id().equals(second.id()));
    assertEquals("", get(second, "row", "a"));
    store.close();
    store = SimulatedStore.open(disk, SimulatedStore.TINY, clock);
    assertEquals("", get(store.family("K", "Again"), "row", "a"));
    assertEquals("", get(store.family("K", "Again"), "row", "b"));
  }

  private static FamilyDefinition definition(String name) {
    return FamilyDefinition.standard("K", name, "UTF8Type");
  }

  private ColumnFamily create(FamilyDefinition definition) {
    store.await(store.schema().createFamily(definition));
    return store.family("K", definition.name());
  }

  private FamilyFigures figures(ColumnFamily family) {
    return store.engine().figures(family.id()).orElseThrow();
  }

  private RowKey key(String text) {
    try {
      return store.partitioner().rowKey(bytes(text));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  private void put(ColumnFamily family, String key, String column, String value, long timestamp) {
    store.await(write(family, key, column, value, timestamp));
  }

  private CompletableFuture<AskedReplicas> write(
      ColumnFamily family, String key, String column, String value, long timestamp) {
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live(bytes(column), null, bytes(value), timestamp))
            .build();
    return store
        .coordinator()
        .write(
            List.of(
                new RowMutation(key(key), List.of(new RowMutation.FamilyUpdate(family, update)))),
            true,
            Consistency.ONE,
            Long.MAX_VALUE);
  }

  /** The value of a column, or nothing. */
  private String get(ColumnFamily family, String key, String column) {
    byte[] name = bytes(column);
    SlicePage page =
        store.await(
            store
                .coordinator()
                .read(
                    new SliceRead(
                        family,
                        key(key),
                        new Slice(List.of(PathRange.of(name)), false, false, Long.MAX_VALUE),
                        Optional.empty(),
                        1 << 20,
                        Consistency.ONE,
                        Long.MAX_VALUE,
                        PageSink.LISTS)));
    return page.cells().isEmpty()
        ? ""
        : new String(page.cells().get(0).value(), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
