package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A damaged data file is set aside: never served, never deleted, and reads of what it may have held
 * are refused instead of answered without it.
 */
class QuarantineTest {

  private static final EngineSettings ROOMY =
      EngineSettingsBuilder.of(SimulatedStore.TINY).withLog(CommitLogSettings.defaults()).build();

  private final SimClock clock = new SimClock();
  private SimFileSystem disk = new SimFileSystem();
  private SimulatedStore store;
  private ColumnFamily family;

  /** File 1 holds the rows a and b, file 2 the rows b and c; all have values of their own. */
  @BeforeEach
  void twoFiles() throws Exception {
    open();
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    FamilyDefinition definition =
        FamilyDefinition.standard("K", "F", "UTF8Type").with(FamilyField.GC_GRACE, Duration.ZERO);
    store.await(store.schema().createFamily(definition));
    family = store.family("K", "F");
    write("a", "one", 1);
    write("b", "one", 1);
    flush();
    write("b", "two", 2);
    write("c", "two", 2);
    flush();
  }

  private void open() throws Exception {
    store = SimulatedStore.open(disk, ROOMY, clock);
  }

  private void reopen() throws Exception {
    store.close();
    open();
    family = store.family("K", "F");
  }

  @Test
  void aReadThatFindsDamageSetsTheFileAside() throws Exception {
    byte[] damaged = damage(1);
    assertThrows(CorruptFileException.class, () -> get("a"));
    store.scheduler().runUntilIdle();
    assertFalse(disk.exists(live(1)));
    assertEquals(hex(damaged), hex(disk.content(aside(1))));
    for (int starts = 0; starts < 3; starts++) {
      MissingDataException missing = assertThrows(MissingDataException.class, () -> get("a"));
      assertThrows(MissingDataException.class, () -> wholeRow("b"));
      assertEquals("two", get("b"), "what is newer than all that is missing is known");
      assertEquals("two", get("c"));
      assertEquals("two", wholeRow("c"));
      assertThrows(MissingDataException.class, this::scan);
      QuarantinedFile file = quarantined().get(0);
      assertEquals(1, file.number());
      assertTrue(file.path().endsWith(aside(1)), file.path());
      assertTrue(file.rowsKnown());
      assertTrue(file.offset() > 0 && file.offset() < damaged.length, "" + file.offset());
      assertEquals(file.offset(), missing.offset());
      reopen();
    }
  }

  @Test
  void aRequestIsToldWhichFileIsDamaged() throws Exception {
    damage(1);
    assertThrows(CorruptFileException.class, () -> get("a"));
    store.scheduler().runUntilIdle();
    SliceRead read =
        new SliceRead(
            family,
            key("a"),
            all(),
            Optional.empty(),
            1 << 20,
            Consistency.ONE,
            Long.MAX_VALUE,
            PageSink.LISTS);
    CompletableFuture<SlicePage> answer = store.coordinator().read(read);
    CoordinationException.Corrupt corrupt =
        assertThrows(CoordinationException.Corrupt.class, () -> unwrapped(answer));
    assertEquals("000000000001-Data.db.quarantined", corrupt.file(), "no path of the host");
    assertFalse(String.valueOf(corrupt.getMessage()).contains("/memory"), corrupt.getMessage());
  }

  @Test
  void aFileThatCannotBeOpenedDoesNotStopTheStart() throws Exception {
    store.close();
    byte[] whole = disk.content(live(1));
    disk.overwrite(live(1), java.util.Arrays.copyOf(whole, whole.length - 3));
    open();
    family = store.family("K", "F");
    assertEquals("two", get("c"));
    assertThrows(MissingDataException.class, () -> get("a"));
    assertTrue(disk.exists(aside(1)));
    assertFalse(disk.exists(live(1)));
  }

  @Test
  void whereTheStatisticsAreDamagedTooEveryReadIsConcerned() throws Exception {
    store.close();
    disk.flipBit(live(1), 8L * disk.content(live(1)).length - 1);
    String meta = live(1).replace("Data", "Meta");
    disk.flipBit(meta, 8L * disk.content(meta).length - 1);
    open();
    family = store.family("K", "F");
    assertThrows(MissingDataException.class, () -> wholeRow("c"));
    assertThrows(MissingDataException.class, () -> get("c"));
    assertFalse(quarantined().get(0).rowsKnown());
  }

  @Test
  void aRestoredFileIsServedAgainAfterARestart() throws Exception {
    byte[] sound = disk.content(live(1));
    damage(1);
    assertThrows(CorruptFileException.class, () -> get("a"));
    store.scheduler().runUntilIdle();
    store.close();
    disk.overwrite(aside(1), sound);
    open();
    family = store.family("K", "F");
    assertEquals("one", get("a"));
    assertEquals(List.of(), quarantined());
    assertTrue(disk.exists(live(1)));
    assertFalse(disk.exists(aside(1)));
    reopen();
    assertEquals("one", get("a"));
    assertEquals("abc", scan());
  }

  @Test
  void anAcceptedLossStaysAcceptedAndTheFileStaysWhereItIs() throws Exception {
    byte[] damaged = damage(1);
    assertThrows(CorruptFileException.class, () -> get("a"));
    store.scheduler().runUntilIdle();
    assertFalse(store.await(store.engine().acceptLoss(family.id(), 2)));
    assertTrue(store.await(store.engine().acceptLoss(family.id(), 1)));
    for (int starts = 0; starts < 2; starts++) {
      assertEquals("", get("a"));
      assertEquals("bc", scan());
      assertEquals(List.of(), quarantined());
      assertEquals(hex(damaged), hex(disk.content(aside(1))));
      reopen();
    }
    assertFalse(store.await(store.engine().acceptLoss(family.id(), 1)));
  }

  @Test
  void aMergeKeepsTheDeletionsThatARestoredFileWillNeed() throws Exception {
    byte[] sound = disk.content(live(1));
    delete("a", 5);
    flush();
    clock.advance(Duration.ofDays(1));
    damage(1);
    assertThrows(CorruptFileException.class, () -> wholeRow("b"));
    store.scheduler().runUntilIdle();
    store.await(store.engine().compact(family.id(), progress -> {}));
    store.close();
    disk.overwrite(aside(1), sound);
    open();
    family = store.family("K", "F");
    assertEquals("", get("a"), "the file brings back what was deleted");
    assertEquals("two", get("b"));
  }

  /** Of two values at one timestamp the greater one counts, and that may be the missing one. */
  @Test
  void aValueAtTheTimestampOfWhatIsMissingIsNotServed() throws Exception {
    write("a", "not one", 1);
    flush();
    damage(1);
    assertThrows(CorruptFileException.class, () -> wholeRow("b"));
    store.scheduler().runUntilIdle();
    for (int starts = 0; starts < 2; starts++) {
      assertThrows(MissingDataException.class, () -> get("a"));
      assertThrows(MissingDataException.class, () -> wholeRow("a"));
      reopen();
    }
    write("a", "after", 2);
    assertEquals("after", get("a"));
  }

  @Test
  void aMergeKeepsADeletionAtTheTimestampOfWhatIsMissing() throws Exception {
    byte[] sound = disk.content(live(1));
    delete("a", 1);
    flush();
    clock.advance(Duration.ofDays(1));
    damage(1);
    assertThrows(CorruptFileException.class, () -> wholeRow("b"));
    store.scheduler().runUntilIdle();
    store.await(store.engine().compact(family.id(), progress -> {}));
    store.close();
    disk.overwrite(aside(1), sound);
    open();
    family = store.family("K", "F");
    assertEquals("", get("a"), "the file brings back what was deleted");
  }

  @Test
  void aMergeThatFindsDamageSetsTheFileAsideAndTheNextOneGoesOn() throws Exception {
    damage(2);
    assertThrows(
        CompletionException.class,
        () -> store.await(store.engine().compact(family.id(), progress -> {})));
    store.scheduler().runUntilIdle();
    assertTrue(disk.exists(aside(2)));
    store.await(store.engine().compact(family.id(), progress -> {}));
    assertEquals("one", get("a"));
    assertThrows(MissingDataException.class, () -> get("c"));
  }

  @Test
  void aDamagedIndexIsRebuiltWhileTheNodeRuns() throws Exception {
    for (int i = 0; i < 200; i++) {
      write("wide" + i, "x".repeat(200) + i, 3);
    }
    flush();
    reopen();
    String index = live(3).replace("Data", "Index");
    byte[] sound = disk.content(index);
    for (int bit = 8 * 100; bit < 8 * (sound.length / 2); bit += 8) {
      disk.flipBit(index, bit);
    }
    CorruptFileException damage = assertThrows(CorruptFileException.class, this::scan);
    assertTrue(damage.path().endsWith("Index.db"), damage.getMessage());
    store.scheduler().runUntilIdle();
    assertEquals(hex(sound), hex(disk.content(index)));
    assertTrue(scan().startsWith("abcwide0"));
    assertEquals(List.of(), quarantined());
  }

  @Test
  void truncatingTheFamilyEndsTheMattersOfItsDamagedFiles() throws Exception {
    damage(1);
    assertThrows(CorruptFileException.class, () -> get("a"));
    store.scheduler().runUntilIdle();
    store.await(store.engine().truncate(family.id(), 1));
    assertEquals("", scan());
    reopen();
    assertEquals("", scan());
    assertTrue(disk.exists(aside(1)), "nothing in quarantine is deleted");
  }

  @Test
  void aCrashOnTheWayIntoQuarantineLosesNothing() throws Exception {
    damage(1);
    store.close();
    SimFileSystem start = disk.crashClone();
    for (long n = 0; n <= 40; n++) {
      disk = start.crashClone();
      open();
      family = store.family("K", "F");
      disk.stopAfter(disk.operations() + n);
      assertThrows(IOException.class, () -> get("a"));
      store.scheduler().runUntilIdle();
      SimFileSystem crashed = disk;
      for (int seed = -1; seed < 5; seed++) {
        disk = seed < 0 ? crashed.crashClone() : crashed.crashClone(new SeededRandom(seed));
        open();
        family = store.family("K", "F");
        assertThrows(IOException.class, () -> get("a"), "operation " + n);
        store.scheduler().runUntilIdle();
        assertThrows(MissingDataException.class, () -> get("a"), "operation " + n);
        assertEquals("two", get("c"));
        assertTrue(disk.exists(aside(1)), "operation " + n);
        assertTrue(disk.exists(aside(1).replace("Data", "Meta")), "operation " + n);
      }
    }
  }

  @Test
  void aCrashOnTheWayBackLosesNothing() throws Exception {
    byte[] sound = disk.content(live(1));
    damage(1);
    assertThrows(CorruptFileException.class, () -> get("a"));
    store.scheduler().runUntilIdle();
    store.close();
    disk.overwrite(aside(1), sound);
    SimFileSystem start = disk.crashClone();
    for (long n = 1; n <= 60; n++) {
      disk = start.crashClone();
      disk.stopAfter(disk.operations() + n);
      try {
        open();
      } catch (IOException expected) {
        // The point of the exercise.
      }
      SimFileSystem crashed = disk;
      for (int seed = -1; seed < 5; seed++) {
        disk = seed < 0 ? crashed.crashClone() : crashed.crashClone(new SeededRandom(seed));
        open();
        family = store.family("K", "F");
        assertEquals("one", get("a"), "operation " + n);
        assertEquals("abc", scan(), "operation " + n);
      }
    }
  }

  @Test
  void withoutItsOwnKeyspaceTheNodeDoesNotStartAndDeletesNothing() throws Exception {
    store.close();
    List<String> before = disk.list("keyspaces/K/F-" + family.id());
    String schema = "keyspaces/system/Schema-" + "0".repeat(31) + "1";
    String data =
        disk.list(schema).stream().filter(name -> name.endsWith("Data.db")).findFirst().get();
    byte[] sound = disk.content(schema + "/" + data);
    disk.flipBit(schema + "/" + data, 8L * sound.length - 1);
    assertThrows(UnreadableFileException.class, this::open);
    assertEquals(before, disk.list("keyspaces/K/F-" + family.id()));
    disk.overwrite(schema + "/" + data, sound);
    open();
    assertEquals("one", get("a"));
  }

  @Test
  void withoutItsManifestTheNodeDoesNotStartAndDeletesNothing() throws Exception {
    store.close();
    List<String> before = disk.list("keyspaces/K/F-" + family.id());
    disk.delete("MANIFEST");
    disk.delete("MANIFEST.copy");
    assertThrows(UnreadableFileException.class, this::open);
    assertEquals(before, disk.list("keyspaces/K/F-" + family.id()));
  }

  private byte[] damage(long generation) throws IOException {
    byte[] sound = disk.content(live(generation));
    int firstFrame = 18 + java.nio.ByteBuffer.wrap(sound).getInt(10);
    disk.flipBit(live(generation), 8L * (firstFrame + 15));
    return disk.content(live(generation));
  }

  private String live(long generation) {
    return "keyspaces/K/F-" + family.id() + "/00000000000" + generation + "-Data.db";
  }

  private String aside(long generation) {
    return live(generation) + ".quarantined";
  }

  private List<QuarantinedFile> quarantined() {
    return store.engine().figures(family.id()).orElseThrow().quarantined();
  }

  private void write(String key, String value, long timestamp) {
    write(key, Cell.live(bytes("c"), null, bytes(value), timestamp));
  }

  private void delete(String key, long timestamp) {
    write(key, Cell.deleted(bytes("c"), null, new DeletionTime(timestamp, clock.wallSeconds())));
  }

  private void write(String key, Cell cell) {
    RowUpdate update = RowUpdate.builder(family.order()).add(cell).build();
    List<Mutation.FamilyMutation> parts = List.of(new Mutation.FamilyMutation(family.id(), update));
    store.await(store.engine().write(new Mutation(key(key), parts, 0), true));
  }

  private void flush() {
    store.await(store.engine().flush(family.id()));
  }

  private static Slice all() {
    return new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE);
  }

  private String get(String key) throws Exception {
    return read(key, new Slice(List.of(PathRange.of(bytes("c"))), false, false, Long.MAX_VALUE));
  }

  private String wholeRow(String key) throws Exception {
    return read(key, all());
  }

  private String read(String key, Slice slice) throws Exception {
    SliceCommand query =
        new SliceCommand(key(key), slice, Optional.empty(), 1 << 20, clock.wallSeconds());
    RowPage page = unwrapped(store.engine().read(family.id(), query, ListedPages.ROW)).result();
    return page.cells().isEmpty()
        ? ""
        : new String(page.cells().get(0).value(), StandardCharsets.UTF_8);
  }

  /** The keys in order of name. */
  private String scan() throws Exception {
    RangeCommand query =
        new RangeCommand(
            RowKey.firstOf(new byte[0]),
            Optional.empty(),
            Optional.empty(),
            false,
            all(),
            1_000,
            false,
            true,
            1 << 20,
            clock.wallSeconds());
    return unwrapped(store.engine().read(family.id(), query, ListedPages.RANGE))
        .result()
        .rows()
        .stream()
        .map(row -> new String(row.key().key(), StandardCharsets.UTF_8))
        .sorted()
        .reduce("", String::concat);
  }

  private <T> T unwrapped(CompletableFuture<T> future) throws Exception {
    try {
      return store.await(future);
    } catch (CompletionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private RowKey key(String text) {
    try {
      return store.partitioner().rowKey(bytes(text));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }
}
