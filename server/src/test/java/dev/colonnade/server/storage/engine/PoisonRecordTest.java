package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.QuarantinedFile.Contents;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Names that a comparator cannot order: the write that brings them fails alone and leaves nothing
 * behind, and a record that is in the log already is set aside with its bytes. No start ends with
 * it, and nothing that it says is forgotten.
 */
class PoisonRecordTest {

  private static final EngineSettings ROOMY =
      EngineSettingsBuilder.of(SimulatedStore.TINY).withLog(CommitLogSettings.defaults()).build();

  private static final List<Supplier<Throwable>> SICKNESSES =
      List.of(
          () -> new IllegalStateException("cannot order this"),
          () -> new NoClassDefFoundError("com/example/Collator"),
          StackOverflowError::new);

  private final SimClock clock = new SimClock();
  private final ThrowingComparator names = new ThrowingComparator();
  private SimFileSystem disk = new SimFileSystem();
  private SimulatedStore store;
  private ColumnFamily family;
  private ColumnFamily plain;

  @BeforeEach
  void twoFamilies() throws Exception {
    open(ROOMY);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(
        store.schema().createFamily(FamilyDefinition.standard("K", "F", ThrowingComparator.NAME)));
    store.await(store.schema().createFamily(FamilyDefinition.standard("K", "Plain", "UTF8Type")));
    family = store.family("K", "F");
    plain = store.family("K", "Plain");
  }

  private void open(EngineSettings settings) throws Exception {
    store =
        SimulatedStore.open(
            disk, settings, clock, Partitioners.RANDOM, new SimScheduler(clock), names.resolver());
  }

  /** The store, opened after a power failure. */
  private void crash() throws Exception {
    disk = disk.crashClone();
    open(ROOMY);
    families();
    store.scheduler().runUntilIdle();
  }

  private void families() {
    family = store.family("K", "F");
    plain = store.family("K", "Plain");
  }

  @Test
  void aWriteThatCannotBeOrderedFailsAloneAndIsNotInTheLog() throws Exception {
    for (Supplier<Throwable> sickness : SICKNESSES) {
      names.sicken(sickness);
      List<CompletableFuture<Void>> written = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        written.add(write(i % 3 == 1 ? List.of("!a", "b") : List.of("a", "b"), "row" + i, i));
      }
      for (int i = 0; i < 30; i++) {
        CompletableFuture<Void> each = written.get(i);
        if (i % 3 == 1) {
          CompletionException failed =
              assertThrows(CompletionException.class, () -> store.await(each));
          assertInstanceOf(sickness.get().getClass(), failed.getCause());
        } else {
          store.await(each);
        }
      }
      crash();
      assertEquals(List.of(), store.engine().figures(family.id()).orElseThrow().quarantined());
      names.heal();
      for (int i = 0; i < 30; i++) {
        assertEquals(i % 3 == 1 ? "" : "a b", read("row" + i));
      }
      store.await(write(List.of("!a", "b"), "row1", 1));
      assertEquals("!a b", read("row1"));
      store.await(store.engine().truncate(family.id(), 0));
    }
  }

  @Test
  void writesOfOneRowInOneTurnBuildOnEachOtherAndNotOnTheOneThatFailed() {
    names.sicken(SICKNESSES.get(0));
    List<CompletableFuture<Void>> written = new ArrayList<>();
    written.add(write(List.of("a"), "row", 1));
    written.add(write(List.of("!x", "b"), "row", 2));
    written.add(write(List.of("c"), "row", 3));
    written.add(write(List.of("d"), "row", 4));
    assertFalse(succeeds(written.remove(1)));
    written.forEach(store::await);
    assertEquals("a c d", read("row"));
  }

  @Test
  void aLoggedRecordThatCannotBeAppliedIsSetAsideAndTheRestIsServed() throws Exception {
    for (Supplier<Throwable> sickness : SICKNESSES) {
      store.await(write(List.of("!x", "a"), "bad", 1));
      store.await(writeBoth(List.of("!y", "a"), "both", 2));
      store.await(write(List.of("a", "b"), "good", 3));
      names.sicken(sickness);
      for (int starts = 0; starts < 3; starts++) {
        crash();
        assertEquals("a b", read("good"));
        assertEquals("a", read(plain, "both"));
        assertThrows(MissingDataException.class, () -> readOrThrow(family, "bad"));
        assertThrows(MissingDataException.class, () -> readOrThrow(family, "both"));
        QuarantinedFile file = onlyFile();
        assertEquals(Contents.LOGGED_RECORDS, file.contents());
        assertEquals(2, file.records());
        assertTrue(file.rowsKnown());
        assertTrue(file.reason().contains(sickness.get().getClass().getName()), file.reason());
        assertEquals(
            List.of(Condition.SET_ASIDE_RECORDS),
            store.health().report().problems().stream().map(Health.Problem::condition).toList());
        store.await(write(List.of("c"), "good" + starts, 4));
      }
      names.heal();
      crash();
      assertEquals("!x a", read("bad"));
      assertEquals("!y a", read("both"));
      assertEquals(List.of(), store.engine().figures(family.id()).orElseThrow().quarantined());
      assertEquals(List.of(), asideFiles());
      store.await(store.engine().truncate(family.id(), 0));
    }
  }

  @Test
  void theLogIsLetGoOfOnceItsRecordsAreSetAside() throws Exception {
    store.await(store.engine().flush(family.id()));
    store.await(write(List.of("!x", "a"), "bad", 1));
    names.sicken(SICKNESSES.get(0));
    crash();
    crash();
    assertTrue(store.engine().figures().log().segments() <= 2, "the old segment is gone");
    assertEquals(1, onlyFile().records());
  }

  @Test
  void recordsAreAppliedOnDemandOnceTheComparatorIsWell() throws Exception {
    store.await(write(List.of("!x", "a"), "bad", 1));
    names.sicken(SICKNESSES.get(1));
    crash();
    long number = onlyFile().number();
    assertThrows(CompletionException.class, () -> apply(number));
    assertEquals(number, onlyFile().number());
    assertThrows(MissingDataException.class, () -> readOrThrow(family, "bad"));
    names.heal();
    assertEquals(OptionalLong.of(1), apply(number));
    assertEquals("!x a", read("bad"));
    assertEquals(OptionalLong.empty(), apply(number));
    crash();
    assertEquals("!x a", read("bad"));
  }

  @Test
  void anAcceptedLossStaysAcceptedAndTheBytesStayWhereTheyAre() throws Exception {
    store.await(write(List.of("!x", "a"), "bad", 1));
    names.sicken(SICKNESSES.get(1));
    crash();
    byte[] bytes = disk.content(asideFiles().get(0));
    assertTrue(store.await(store.engine().acceptLoss(family.id(), onlyFile().number())));
    for (int starts = 0; starts < 2; starts++) {
      assertEquals("", read("bad"));
      assertEquals(
          new String(bytes, StandardCharsets.ISO_8859_1),
          new String(disk.content(asideFiles().get(0)), StandardCharsets.ISO_8859_1));
      crash();
    }
  }

  @Test
  void whereTheFileOfRecordsIsDamagedEveryReadIsConcernedAndTheStartGoesOn() throws Exception {
    store.await(write(List.of("!x", "a"), "bad", 1));
    store.await(write(List.of("a"), "good", 1));
    names.sicken(SICKNESSES.get(0));
    crash();
    String aside = asideFiles().get(0);
    disk = disk.crashClone();
    disk.flipBit(aside, 8L * disk.content(aside).length - 1);
    open(ROOMY);
    families();
    store.scheduler().runUntilIdle();
    assertThrows(MissingDataException.class, () -> readOrThrow(family, "good"));
    assertTrue(
        store.engine().figures(family.id()).orElseThrow().quarantined().stream()
            .anyMatch(file -> !file.rowsKnown()));
  }

  @Test
  void aHintThatCannotBeAppliedIsSetAsideAndConcernsNoRead() throws Exception {
    store.await(write(List.of("a"), "row", 1));
    Mutation hint = mutation(family, List.of("!x"), "row", 2);
    store.await(store.engine().setAside().keep(hint, new IllegalStateException("odd")));
    for (int starts = 0; starts < 2; starts++) {
      assertEquals("a", read("row"));
      assertEquals(Contents.REFUSED_RECORDS, onlyFile().contents());
      crash();
    }
    assertEquals(OptionalLong.of(1), apply(onlyFile().number()));
    assertEquals("!x a", read("row"));
    store.await(store.engine().setAside().keep(hint, new IllegalStateException("odd")));
    clock.advance(Duration.ofDays(11));
    long number = onlyFile().number();
    assertThrows(CompletionException.class, () -> apply(number), "older than gc grace");
  }

  @Test
  void noCrashWhileRecordsAreSetAsideLosesOneOrEndsALaterStart() throws Exception {
    // More than memtables may take, so that some are flushed while the log is replayed.
    for (int i = 0; i < 12; i++) {
      store.await(write(List.of(i % 3 == 0 ? "!x" : "x", "y".repeat(9_000)), "row" + i, i));
    }
    names.sicken(SICKNESSES.get(0));
    SimFileSystem full = disk.crashClone();
    EngineSettings small = EngineSettingsBuilder.of(ROOMY).withMemtableBytesMax(64 << 10).build();
    long last = 0;
    for (long n = 1; last == 0; n++) {
      disk = full.crashClone();
      disk.stopAfter(disk.operations() + n);
      try {
        open(small);
        store.scheduler().runUntilIdle();
        last = n;
      } catch (IOException expected) {
        // The point of the exercise.
      }
      SimFileSystem crashed = disk;
      for (int seed = -1; seed < 2; seed++) {
        disk = seed < 0 ? crashed.crashClone() : crashed.crashClone(new SeededRandom(seed));
        open(small);
        families();
        store.scheduler().runUntilIdle();
        for (int i = 0; i < 12; i++) {
          String row = "row" + i;
          if (i % 3 == 0) {
            assertThrows(MissingDataException.class, () -> readOrThrow(family, row), "at " + n);
          } else {
            assertEquals("x " + "y".repeat(9_000), read(row), "at " + n);
          }
        }
        long records =
            store.engine().figures(family.id()).orElseThrow().quarantined().stream()
                .mapToLong(QuarantinedFile::records)
                .sum();
        assertEquals(4, records, "at " + n);
      }
    }
    assertTrue(last > 10, "operations of an opening: " + last);
  }

  private OptionalLong apply(long number) {
    return store.await(store.engine().setAside().applyAgain(family.id(), number));
  }

  private QuarantinedFile onlyFile() {
    List<QuarantinedFile> files = store.engine().figures(family.id()).orElseThrow().quarantined();
    assertEquals(1, files.size());
    return files.get(0);
  }

  private List<String> asideFiles() throws IOException {
    String directory = "keyspaces/K/F-" + family.id();
    return disk.list(directory).stream()
        .filter(name -> name.contains("-Records"))
        .map(name -> directory + "/" + name)
        .toList();
  }

  private boolean succeeds(CompletableFuture<Void> written) {
    try {
      store.await(written);
      return true;
    } catch (CompletionException failed) {
      return false;
    }
  }

  private CompletableFuture<Void> write(List<String> columns, String key, long timestamp) {
    return store.engine().write(mutation(family, columns, key, timestamp), true);
  }

  private CompletableFuture<Void> writeBoth(List<String> columns, String key, long timestamp) {
    Mutation fussy = mutation(family, columns, key, timestamp);
    Mutation other = mutation(plain, List.of("a"), key, timestamp);
    List<Mutation.FamilyMutation> parts = new ArrayList<>(other.updates());
    parts.addAll(fussy.updates());
    return store.engine().write(new Mutation(fussy.key(), parts, 0), true);
  }

  /** Of names that are in order, as a coordinator without the fault would send it. */
  private Mutation mutation(ColumnFamily to, List<String> columns, String key, long timestamp) {
    List<Cell> cells =
        columns.stream().map(name -> Cell.live(bytes(name), null, bytes("v"), timestamp)).toList();
    RowUpdate update = RowUpdate.ofCanonical(DeletionTime.NONE, List.of(), cells);
    return new Mutation(
        store.key(key), List.of(new Mutation.FamilyMutation(to.id(), update)), clock.wallSeconds());
  }

  private String read(String key) {
    return read(family, key);
  }

  private String read(ColumnFamily from, String key) {
    try {
      return readOrThrow(from, key);
    } catch (Exception e) {
      throw new AssertionError("row " + key + " cannot be read", e);
    }
  }

  /** The names in the row. */
  private String readOrThrow(ColumnFamily from, String key) throws Exception {
    Slice slice = new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE);
    SliceCommand query =
        new SliceCommand(store.key(key), slice, Optional.empty(), 1 << 20, clock.wallSeconds());
    try {
      RowPage page = store.await(store.engine().read(from.id(), query, ListedPages.ROW)).result();
      return page.cells().stream()
          .map(cell -> new String(cell.top(), StandardCharsets.UTF_8))
          .reduce((a, b) -> a + " " + b)
          .orElse("");
    } catch (CompletionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
