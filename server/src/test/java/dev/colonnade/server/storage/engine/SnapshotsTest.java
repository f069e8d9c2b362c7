package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SubdirectoryFiles;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.snapshot.SnapshotAccountField;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import dev.colonnade.server.storage.snapshot.SnapshotFamily;
import dev.colonnade.server.storage.snapshot.SnapshotFile;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotRefusedException;
import dev.colonnade.server.storage.snapshot.SnapshotTables;
import dev.colonnade.server.storage.snapshot.SnapshotVerifier;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableScan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Snapshots of a store: what they hold, and what crashes and failures leave of them. */
class SnapshotsTest {

  private static final String KEYSPACE = "K";

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;

  @BeforeEach
  void open() throws Exception {
    store = SimulatedStore.open(disk, SimulatedStore.TINY, clock);
    if (store.schema().current().keyspace(KEYSPACE).isEmpty()) {
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of(KEYSPACE)));
      store.await(
          store.schema().createFamily(FamilyDefinition.standard(KEYSPACE, "F", "UTF8Type")));
    }
  }

  @Test
  void keepsWhatWasWrittenBeforeWhateverBecomesOfTheStore() throws Exception {
    put("a", 1);
    put("b", 2);
    SnapshotManifest taken = take("first");
    put("a", 3);
    store.await(store.engine().compact(family().id(), progress -> {}));
    assertEquals(Map.of("a", 1L, "b", 2L), content(disk, "first"));
    store.await(store.schema().truncate(family(), Long.MAX_VALUE));
    store.close();
    open();
    assertEquals(Map.of("a", 1L, "b", 2L), content(disk, "first"));
    assertEquals(List.of(), verify(disk, "first"));
    assertEquals("sim", taken.cluster());
    assertEquals(1, taken.families().size());
    assertEquals(taken, list().get(0).manifest(), "the manifest reads as it was written");
  }

  /** Rows go into two families by turns, which are flushed while the snapshot is taken. */
  @Test
  void isOneMomentOfAllFamilies() throws Exception {
    store.await(store.schema().createFamily(FamilyDefinition.standard(KEYSPACE, "G", "UTF8Type")));
    ColumnFamily second = store.family(KEYSPACE, "G");
    int differing = 0;
    for (int run = 0; run < 20; run++) {
      String name = "s" + run;
      String rows = name + "-";
      for (int i = 0; i < run; i++) {
        put(family(), rows + "a" + i);
      }
      CompletableFuture<SnapshotManifest> taken =
          store
              .engine()
              .snapshots()
              .take(described(name), List.of(family().id(), second.id()), progress -> {});
      for (int i = 0; i < 40; i++) {
        put(family(), rows + "f" + i);
        put(second, rows + "g" + i);
        ColumnFamily flushed = i % 2 == 0 ? family() : second;
        store.await(store.engine().flush(flushed.id()));
      }
      SnapshotManifest manifest = store.await(taken);
      assertTrue(manifest.moment().orElseThrow().position().segment() > 0);
      Set<String> found = content(disk, name).keySet();
      long first = found.stream().filter(row -> row.startsWith(rows + "f")).count();
      long last = found.stream().filter(row -> row.startsWith(rows + "g")).count();
      assertTrue(first == last || first == last + 1, first + " and " + last + " in run " + run);
      assertEquals(run, found.stream().filter(row -> row.startsWith(rows + "a")).count());
      differing += first < 40 ? 1 : 0;
    }
    assertTrue(differing > 0, "no snapshot ended before the writes");
  }

  @Test
  void aTruncationThatComesBetweenIsAllInItOrNot() throws Exception {
    for (int steps = 0; steps < 60; steps++) {
      put("a", 1);
      long before = family().truncation();
      var taken =
          store.engine().snapshots().take(described("s"), List.of(family().id()), progress -> {});
      int[] left = {steps};
      store.scheduler().runUntil(() -> left[0]-- <= 0 || taken.isDone(), Duration.ofMinutes(1));
      store.await(store.schema().truncate(family(), Long.MAX_VALUE));
      SnapshotManifest manifest = store.await(taken);
      boolean isTruncated = manifest.families().get(0).truncation() > before;
      Map<String, Long> expected = isTruncated ? Map.of() : Map.of("a", 1L);
      assertEquals(expected, content(disk, "s"), "after " + steps + " steps");
      store.await(store.engine().snapshots().clear("s"));
      store.scheduler().runUntilIdle();
      assertEquals(List.of(), store.engine().claims());
    }
  }

  @Test
  void saysWhatIsNewAndWhatClearingFrees() throws Exception {
    put("a", 1);
    take("monday");
    put("b", 2);
    take("tuesday");
    List<SnapshotDirectory.Listed> both = list();
    SnapshotManifest monday = both.get(0).manifest();
    SnapshotManifest tuesday = both.get(1).manifest();
    assertEquals(List.of("monday", "tuesday"), List.of(monday.name(), tuesday.name()));
    assertEquals(monday.bytes(), both.get(0).newBytes());
    assertEquals(tuesday.bytes() - monday.bytes(), both.get(1).newBytes());
    assertEquals(0, both.get(0).freedBytes(), "all files are live as well");
    store.await(store.engine().compact(family().id(), progress -> {}));
    assertEquals(0, list().get(0).freedBytes(), "the other snapshot has them, too");
    long freed = list().get(1).freedBytes();
    assertEquals(tuesday.bytes() - monday.bytes(), freed);
    long used = disk.usedBytes();
    assertEquals(freed, store.await(store.engine().snapshots().clear("tuesday")).freedBytes());
    assertTrue(used - disk.usedBytes() >= freed, "the bytes are free again");
    assertEquals(1, list().size());
    assertEquals(Map.of("a", 1L), content(disk, "monday"));
  }

  @Test
  void refusesNamesThatAreTakenOrNone() throws Exception {
    take("Nightly");
    assertRefused("already", () -> take("Nightly"));
    assertRefused("already", () -> take("nightly"));
    for (String name : List.of("", ".", "..", "a/b", "-a", ".a", "a b", "x".repeat(65), "é")) {
      assertRefused("name has 1 to 64", () -> take(name));
      assertRefused("name has 1 to 64", () -> store.await(store.engine().snapshots().clear(name)));
    }
    assertRefused("no snapshot", () -> store.await(store.engine().snapshots().clear("none")));
    assertEquals(1, list().size());
    assertEquals(Map.of(), content(disk, "Nightly"), "a family without files");
  }

  @Test
  void checksumsOfRowsThatAnOlderSnapshotHasAreNotReadAgain() throws Exception {
    put("a", 1);
    SnapshotManifest monday = take("monday");
    put("b", 2);
    String old = monday.families().get(0).files().get(0).components().get(0).name();
    assertTrue(old.endsWith("-Data.db"), old);
    disk.plan()
        .add(FileFault.ERROR)
        .on(FileOperation.READ)
        .where(path -> path.startsWith("snapshots/") && path.endsWith(old));
    SnapshotManifest tuesday = take("tuesday");
    assertEquals(0, disk.plan().fired());
    disk.plan().clear();
    assertEquals(monday.families().get(0).files().get(0), tuesday.families().get(0).files().get(0));
    assertEquals(List.of(), verify(disk, "tuesday"));
  }

  @Test
  void newFilesAreReadAtTheRateThatIsSetWhileItRuns() throws Exception {
    for (int i = 0; i < 5; i++) {
      put("row" + i, new byte[512 << 10]);
    }
    store.engine().limits().snapshotBytesPerSecond(256 << 10);
    long before = clock.monotonicNanos();
    SnapshotManifest slow = take("slow");
    Duration took = Duration.ofNanos(clock.monotonicNanos() - before);
    // What is read in the last turn is not waited for.
    assertTrue(took.toSeconds() >= (slow.bytes() >> 18) - 5, took::toString);
    assertEquals(List.of(), verify(disk, "slow"));
    store.await(store.engine().snapshots().clear("slow"));
    store.engine().limits().snapshotBytesPerSecond(0);
    before = clock.monotonicNanos();
    take("fast");
    assertTrue(clock.monotonicNanos() - before < Duration.ofSeconds(1).toNanos());
  }

  @Test
  void aSmallerBoundOfMemtablesFlushesThemAtOnce() throws Exception {
    store.close();
    // A log that does not press for flushes.
    EngineSettings roomy =
        EngineSettingsBuilder.of(SimulatedStore.TINY).withLog(CommitLogSettings.defaults()).build();
    store = SimulatedStore.open(disk, roomy, clock);
    for (int i = 0; i < 8; i++) {
      put("row" + i, new byte[512 << 10]);
    }
    assertEquals(0, dataFiles());
    store.engine().limits().memtableBytes(1 << 20);
    store.scheduler().runUntilIdle();
    assertTrue(dataFiles() > 0);
    put("later", 1);
    take("s");
    assertEquals(9, content(disk, "s").size());
  }

  @Test
  void verifyNamesWhatIsDamagedOrMissing() throws Exception {
    put("a", 1);
    SnapshotManifest taken = take("s");
    SnapshotFamily family = taken.families().get(0);
    String directory = "snapshots/s/" + family.directory() + "/";
    List<SnapshotFile.SnapshotComponent> components = family.files().get(0).components();
    assertEquals(4, components.size(), "rows, filter, index and statistics");
    for (SnapshotFile.SnapshotComponent component : components) {
      String path = directory + component.name();
      byte[] sound = disk.content(path);
      for (long bit : new long[] {0, sound.length * 4L, sound.length * 8L - 1}) {
        disk.flipBit(path, bit);
        assertDamage("checksum", path);
        disk.flipBit(path, bit);
      }
      disk.overwrite(path, new byte[sound.length - 1]);
      assertDamage("bytes", path);
      disk.delete(path);
      assertDamage("missing", path);
      disk.overwrite(path, sound);
      assertEquals(List.of(), verify(disk, "s"));
    }
    byte[] manifest = disk.content("snapshots/s/manifest");
    for (long bit = 0; bit < manifest.length * 8L; bit += 5) {
      disk.flipBit("snapshots/s/manifest", bit);
      assertThrows(IOException.class, () -> verify(disk, "s"));
      disk.flipBit("snapshots/s/manifest", bit);
    }
  }

  @Test
  void aFileThatIsDamagedAlreadyIsFoundByVerify() throws Exception {
    put("a", 1);
    store.await(store.engine().flush(family().id()));
    String live = path(disk, "-Data.db");
    disk.flipBit(live, 8L * (disk.content(live).length / 2));
    take("s");
    assertTrue(verify(disk, "s").get(0).contains("when the snapshot was taken"));
  }

  private void assertDamage(String what, String path) throws Exception {
    List<String> damage = verify(disk, "s");
    assertEquals(1, damage.size(), damage::toString);
    assertTrue(damage.get(0).contains(what), damage::toString);
    assertTrue(damage.get(0).contains(path.substring(path.lastIndexOf('/'))), damage::toString);
  }

  /** After each operation that changes the disk, for several outcomes of a crash there. */
  @Test
  void aCrashLeavesAWholeSnapshotOrNone() throws Exception {
    SeededRandom random = new SeededRandom(20_261_123);
    Map<String, Map<String, Long>> expected = new LinkedHashMap<>();
    Set<String> settled = new TreeSet<>();
    List<AssertionError> violations = new ArrayList<>();
    int[] states = new int[1];
    disk.afterEach(
        () -> {
          for (SimFileSystem after :
              List.of(disk.crashClone(), disk.copy(), disk.crashClone(random))) {
            states[0]++;
            try {
              checkAfterCrash(after, expected, settled);
            } catch (AssertionError | Exception e) {
              violations.add(
                  new AssertionError("operation " + disk.operations() + " of seed 20261123", e));
            }
          }
        });
    put("a", 1);
    expected.put("one", Map.of("a", 1L));
    take("one");
    settled.add("one");
    put("a", 2);
    put("b", 3);
    expected.put("two", Map.of("a", 2L, "b", 3L));
    take("two");
    settled.add("two");
    store.await(store.engine().compact(family().id(), progress -> {}));
    settled.remove("one");
    store.await(store.engine().snapshots().clear("one"));
    expected.remove("one");
    put("c", 4);
    expected.put("one", Map.of("a", 2L, "b", 3L, "c", 4L));
    take("one");
    settled.add("one");
    disk.afterEach(() -> {});
    if (!violations.isEmpty()) {
      throw violations.get(0);
    }
    assertTrue(states[0] > 300, () -> states[0] + " states");
  }

  private static void checkAfterCrash(
      SimFileSystem after, Map<String, Map<String, Long>> expected, Set<String> settled)
      throws Exception {
    SimulatedStore reopened = SimulatedStore.open(after, SimulatedStore.TINY, new SimClock());
    Set<String> names = new TreeSet<>();
    for (SnapshotDirectory.Listed each : reopened.await(reopened.engine().snapshots().list())) {
      String name = each.manifest().name();
      names.add(name);
      assertEquals(List.of(), verify(after, name), name);
      assertEquals(expected.get(name), content(after, name), name);
    }
    assertTrue(names.containsAll(settled), () -> names + " of " + settled);
    assertEquals(
        List.copyOf(names),
        after.exists("snapshots") ? after.list("snapshots") : List.of(),
        "nothing else is left there");
  }

  /** Whichever operation fails, the caller is told, nothing is left, and the next one succeeds. */
  @Test
  void aFailureLeavesNothingAndTheNextAttemptSucceeds() throws Exception {
    put("a", 1);
    store.await(store.engine().flush(family().id()));
    SimFileSystem before = disk.copy();
    int told = 0;
    for (FileFault fault : List.of(FileFault.ERROR, FileFault.NO_SPACE, FileFault.READ_ONLY)) {
      for (int operation = 1; ; operation++) {
        SimFileSystem each = before.copy();
        SimulatedStore one = SimulatedStore.open(each, SimulatedStore.TINY, new SimClock());
        var rule = each.plan().add(fault).where(p -> p.startsWith("snapshots")).from(operation);
        rule.once();
        CompletableFuture<SnapshotManifest> taken =
            one.engine().snapshots().take(described("s"), List.of(family().id()), progress -> {});
        boolean succeeded = one.succeeds(taken);
        boolean fired = each.plan().fired() > 0;
        each.plan().clear();
        if (!fired) {
          assertTrue(succeeded);
          assertTrue(operation > (fault == FileFault.ERROR ? 10 : 3), fault + " fails too little");
          break;
        }
        if (!succeeded) {
          told++;
          String failed = fault + " at operation " + operation;
          assertTrue(taken.isCompletedExceptionally(), failed);
          assertEquals(List.of(), one.engine().claims(), failed);
          one.await(one.engine().snapshots().take(described("s"), List.of(family().id()), p -> {}));
        }
        String where = fault + " at operation " + operation;
        assertEquals(List.of(), verify(each, "s"), where);
        assertEquals(Map.of("a", 1L), content(each, "s"), where);
        assertEquals(List.of("s"), each.list("snapshots"), where);
        one.await(one.engine().snapshots().clear("s"));
        one.close();
        assertEquals(List.of(), each.openFiles(), where);
      }
    }
    assertTrue(told > 15, told + " failures were told");
  }

  private interface Action {
    void run() throws Exception;
  }

  private static void assertRefused(String words, Action action) {
    Throwable thrown = assertThrows(Exception.class, action::run);
    String told = Errors.unwrap(thrown).toString();
    assertTrue(told.contains(SnapshotRefusedException.class.getName()), told);
    assertTrue(told.contains(words), told);
  }

  private ColumnFamily family() {
    return store.family(KEYSPACE, "F");
  }

  private SnapshotManifest described(String name) {
    return new SnapshotManifest(
        name,
        clock.wallMicros(),
        "sim",
        "node",
        store.partitioner().name(),
        List.of(),
        store.schema().current().rows(),
        List.of(),
        List.of(new SnapshotAccountField("alice", "kind", 1_000, "user")),
        Optional.empty());
  }

  private SnapshotManifest take(String name) {
    FamilyId family = family().id();
    return store.await(
        store.engine().snapshots().take(described(name), List.of(family), progress -> {}));
  }

  private List<SnapshotDirectory.Listed> list() {
    return store.await(store.engine().snapshots().list());
  }

  private void put(String row, long value) {
    put(row, new byte[] {(byte) value}, value);
  }

  private void put(String row, byte[] value) {
    new SeededRandom(row.hashCode()).nextBytes(value);
    put(row, value, 1);
  }

  private void put(ColumnFamily family, String row) {
    put(family, row, new byte[] {1}, 1);
  }

  private void put(String row, byte[] value, long timestamp) {
    put(family(), row, value, timestamp);
  }

  private void put(ColumnFamily family, String row, byte[] value, long timestamp) {
    byte[] name = "column".getBytes(StandardCharsets.UTF_8);
    RowUpdate update =
        RowUpdate.builder(family.order()).add(Cell.live(name, null, value, timestamp)).build();
    store.await(
        store
            .engine()
            .write(
                new Mutation(
                    store.key(row),
                    List.of(new Mutation.FamilyMutation(family.id(), update, family.truncation())),
                    clock.wallSeconds()),
                true));
  }

  private long dataFiles() throws IOException {
    String directory = "keyspaces/" + KEYSPACE;
    return disk.list(directory + "/" + disk.list(directory).get(0)).stream()
        .filter(name -> name.endsWith("-Data.db"))
        .count();
  }

  private static String path(SimFileSystem files, String end) throws IOException {
    String keyspace = "keyspaces/" + KEYSPACE;
    String directory = keyspace + "/" + files.list(keyspace).get(0);
    for (String name : files.list(directory)) {
      if (name.endsWith(end)) {
        return directory + "/" + name;
      }
    }
    throw new AssertionError("no " + end);
  }

  private static List<String> verify(FileSystem files, String name) throws IOException {
    return SnapshotVerifier.verify(
            new SubdirectoryFiles(files, "snapshots/" + name),
            ComparatorResolver.builtIns(),
            bytes -> {})
        .damage();
  }

  /** The first byte of each row's newest value. */
  private static Map<String, Long> content(FileSystem files, String name) throws Exception {
    Map<String, Long> rows = new TreeMap<>();
    newest(files, name).forEach((row, cell) -> rows.put(row, (long) cell.value()[0]));
    assertFalse(rows.containsKey(""));
    return rows;
  }

  /** The newest cell of each row over all files of a snapshot. */
  static Map<String, Cell> newest(FileSystem files, String name) throws Exception {
    Map<String, Cell> rows = new TreeMap<>();
    try (SnapshotTables tables =
        new SnapshotTables(
            new SubdirectoryFiles(files, "snapshots/" + name), ComparatorResolver.builtIns())) {
      for (SnapshotFamily family : tables.manifest().families()) {
        for (SnapshotFile file : family.files()) {
          SSTable table = tables.open(family, file);
          try (SSTableScan scan = table.scan()) {
            for (RowKey key = scan.nextRow(); key != null; key = scan.nextRow()) {
              AtomCursor atoms = scan.atoms();
              for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
                rows.merge(
                    new String(key.key(), StandardCharsets.UTF_8),
                    (Cell) atom,
                    (one, other) -> other.timestamp() > one.timestamp() ? other : one);
              }
            }
          }
        }
      }
    }
    return rows;
  }
}
