package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When memtables become files, and what becomes of them where the disk fails. */
final class FlusherTest {

  /** A log with room, so that it does not ask for flushes of its own. */
  private static final EngineSettings ROOMY =
      EngineSettingsBuilder.of(SimulatedStore.TINY).withLog(CommitLogSettings.defaults()).build();

  private static final FamilyDefinition DEFINITION =
      FamilyDefinition.standard("K", "F", "UTF8Type");

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private StoreScript store;

  @BeforeEach
  void open() throws Exception {
    store = StoreScript.open(disk, ROOMY, clock);
  }

  private StorageEngine engine() {
    return store.store().engine();
  }

  private void advance(int seconds) {
    store.store().scheduler().advance(Duration.ofSeconds(seconds));
  }

  private ColumnFamily create(String name) {
    return store.create(FamilyDefinition.standard("K", name, "UTF8Type"));
  }

  private long flushes(ColumnFamily family, FlushReason reason) {
    return engine()
        .figures(family.id())
        .orElseThrow()
        .count(
            switch (reason) {
              case SIZE -> FamilyFigure.FLUSHES_BY_SIZE;
              case OPERATIONS -> FamilyFigure.FLUSHES_BY_OPERATIONS;
              case AGE -> FamilyFigure.FLUSHES_BY_AGE;
              case DEMAND -> FamilyFigure.FLUSHES_ON_DEMAND;
            });
  }

  private long writes(ColumnFamily family) {
    return engine().figures(family.id()).orElseThrow().count(FamilyFigure.WRITES);
  }

  private int files(ColumnFamily family) throws IOException {
    return disk.list("keyspaces/K/" + family.name() + "-" + family.id()).size();
  }

  /** The families whose memtables cannot be written, as health checks see it. */
  private List<String> failing() {
    return store.store().health().report().problems().stream()
        .filter(problem -> problem.condition() == Condition.FLUSH)
        .map(Health.Problem::subject)
        .toList();
  }

  private void noDataFileCanBeWritten() {
    disk.plan().add(FileFault.ERROR).where(path -> path.matches("keyspaces/K/.*-Data.db.*"));
  }

  @Test
  void aFlushOnDemandNamesItsFileHoweverSoonItEnds() throws IOException {
    ColumnFamily family = create("F");
    store.put(family, "row", "c", "v", 1);
    store.store().scheduler().runOnSubmit(true);
    CompletableFuture<List<String>> flushed = engine().flush(family.id());
    assertEquals(1, flushed.join().size());
    assertTrue(files(family) > 0);
    assertEquals(List.of(), engine().flush(family.id()).join());
  }

  @Test
  void whoeverSeesAWriteAcknowledgedFindsItCounted() {
    ColumnFamily family = create("F");
    long before = writes(family);
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live(new byte[] {1}, null, new byte[] {1}, 1))
            .build();
    Mutation mutation =
        new Mutation(
            store.store().key("row"), List.of(new Mutation.FamilyMutation(family.id(), update)), 0);
    CompletableFuture<Long> seen = engine().write(mutation, true).thenApply(done -> writes(family));
    advance(1);
    assertEquals(before + 1, seen.join());
  }

  @Test
  void eachTriggerFlushesAndIsCountedByItsName() {
    ColumnFamily bySize =
        store.create(
            FamilyDefinition.standard("K", "BySize", "UTF8Type")
                .with(FamilyField.MEMTABLE_THROUGHPUT, 1));
    for (int i = 0; i < 40; i++) {
      store.put(bySize, "row" + i, "c", "x".repeat(40_000), i);
    }
    ColumnFamily byOperations =
        store.create(
            FamilyDefinition.standard("K", "ByOperations", "UTF8Type")
                .with(FamilyField.MEMTABLE_MAX_OPERATIONS, 10));
    for (int i = 0; i < 10; i++) {
      store.put(byOperations, "row", "c" + i, "v", i);
    }
    ColumnFamily byAge =
        store.create(
            FamilyDefinition.standard("K", "ByAge", "UTF8Type")
                .with(FamilyField.MEMTABLE_FLUSH_AFTER, Duration.ofSeconds(5)));
    store.put(byAge, "row", "c", "v", 1);
    advance(3);
    assertEquals(0, flushes(byAge, FlushReason.AGE));
    advance(4);
    ColumnFamily onDemand = create("OnDemand");
    store.put(onDemand, "row", "c", "v", 1);
    List<String> files = store.store().await(engine().flush(onDemand.id()));
    store.store().scheduler().runUntilIdle();

    assertEquals(1, files.size());
    assertEquals(1, flushes(bySize, FlushReason.SIZE));
    assertEquals(1, flushes(byOperations, FlushReason.OPERATIONS));
    assertEquals(1, flushes(byAge, FlushReason.AGE));
    assertEquals(1, flushes(onDemand, FlushReason.DEMAND));
    for (ColumnFamily family : List.of(bySize, byOperations, byAge, onDemand)) {
      long all = 0;
      for (FlushReason reason : FlushReason.values()) {
        all += flushes(family, reason);
      }
      assertEquals(1, all, family.name());
    }
  }

  @Test
  void whateverFileOperationOfAFlushFailsTheStoreRecoversOrSaysWhyNot() throws Exception {
    int recovered = 0;
    int broken = 0;
    for (int operation = 0; broken < 2; operation++) {
      assertTrue(operation < 200, "no operation of a flush broke the manifest");
      ColumnFamily family = create("Family" + operation);
      store.put(family, "row", "c", "v", 1);
      disk.failAt(disk.operations() + operation);
      CompletableFuture<List<String>> flush = engine().flushRetrying(family.id());
      advance(20);
      disk.failAt(-1);
      assertTrue(flush.isDone(), "the flush never ended, operation " + operation);
      assertEquals("c=v", store.row(family, "row"));
      if (engine().failure().isEmpty()) {
        assertFalse(flush.isCompletedExceptionally());
        recovered++;
        continue;
      }
      broken++;
      assertTrue(flush.isCompletedExceptionally());
      assertTrue(engine().failure().get().contains("MANIFEST"), engine().failure()::get);
      assertThrows(CompletionException.class, () -> store.put(family, "row", "c", "w", 2));
      int files = files(family);
      advance(120);
      assertEquals(files, files(family), "nothing is written that can never become live");
      store = store.restarted();
      assertEquals("c=v", store.row(store.family("Family" + operation), "row"));
    }
    assertTrue(recovered > 5, "recovered from " + recovered);
  }

  /**
   * Else the log would be released up to the position of the newer one, and with it what only the
   * older one holds.
   */
  @Test
  void aMemtableDoesNotOvertakeOneWhoseFlushFailed() throws Exception {
    ColumnFamily family = store.create(DEFINITION);
    store.put(family, "row", "a", "older", 1);
    disk.plan().add(FileFault.ERROR).where(path -> path.contains("-Data.db")).once();
    CompletableFuture<List<String>> first = engine().flush(family.id());
    advance(1);
    assertTrue(first.isCompletedExceptionally());
    assertEquals(List.of("K.F"), failing());

    store.put(family, "row", "b", "newer", 2);
    assertEquals(2, store.store().await(engine().flush(family.id())).size());
    assertEquals(List.of(), failing());
    store = store.killed();
    assertEquals("a=older b=newer", store.row(store.family("F"), "row"));
  }

  /** A family whose memtables stay in memory soon takes no writes: others had better be asked. */
  @Test
  void aFlushThatFailsAgainAndAgainIsToldToProbesAndPeersUntilItSucceeds() throws Exception {
    ColumnFamily family = store.create(DEFINITION);
    store.put(family, "row", "a", "v", 1);
    noDataFileCanBeWritten();
    CompletableFuture<List<String>> flush = engine().flush(family.id());
    advance(1);
    assertTrue(flush.isCompletedExceptionally());
    Health health = store.store().health();
    assertEquals(Optional.empty(), health.report().whyNotReady(), "it may be bad luck");
    advance(15);
    String told = health.report().whyNotReady().orElseThrow();
    assertTrue(told.startsWith("K.F: its memtables cannot be written"), told);
    assertTrue(health.report().gossiped(400).startsWith("unfavourable:K.F: its memtables"), told);

    disk.plan().clear();
    advance(6);
    assertEquals(Health.Report.SOUND, health.report());
    assertEquals("a=v", store.row(family, "row"));
  }

  /** Nothing is left that could not be written. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFamilyThatIsDroppedOrTruncatedWhileItsFlushesFailIsNoConditionAnyMore(boolean drop)
      throws Exception {
    ColumnFamily family = store.create(DEFINITION);
    store.put(family, "row", "a", "v", 1);
    noDataFileCanBeWritten();
    CompletableFuture<List<String>> flush = engine().flush(family.id());
    advance(1);
    assertTrue(flush.isCompletedExceptionally());
    assertEquals(List.of("K.F"), failing());
    advance(60);
    assertEquals(List.of("K.F"), failing(), "it is tried again in vain");

    if (drop) {
      store.drop("F");
    } else {
      store.truncate(family);
    }
    advance(10);
    assertEquals(List.of(), failing());
    disk.plan().clear();
    store = store.killed();
    if (!drop) {
      assertEquals("", store.row(store.family("F"), "row"));
    }
  }
}
