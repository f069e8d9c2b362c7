package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.manifest.Edit;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.sstable.KeyExtent;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.SSTableSalvage;
import dev.colonnade.server.storage.sstable.SSTableWriter;
import dev.colonnade.server.storage.sstable.TestFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A damaged file of a stopped node is replaced by what was sound of it, whenever that crashes. */
final class DamagedFileReplacementTest {

  private static final int ROWS = 100;

  private static final EngineSettings ROOMY =
      EngineSettingsBuilder.of(SimulatedStore.TINY).withLog(CommitLogSettings.defaults()).build();

  private final SimClock clock = new SimClock();
  private SimFileSystem disk = new SimFileSystem();
  private SimulatedStore store;
  private ColumnFamily family;

  /** File 1 has the rows of which the second block is damaged then, file 2 a row of its own. */
  @BeforeEach
  void twoFiles() throws Exception {
    store = SimulatedStore.open(disk, ROOMY, clock);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.standard("K", "F", "UTF8Type")));
    family = store.family("K", "F");
    for (int i = 0; i < ROWS; i++) {
      write("row" + i);
    }
    store.await(store.engine().flush(family.id()));
    write("other");
    store.await(store.engine().flush(family.id()));
    store.close();
    damage();
  }

  @Test
  void theRowsOfSoundBlocksAreServedAgain() throws Exception {
    replaceAndCompare();
  }

  @Test
  void aFileInQuarantineIsReplacedToo() throws Exception {
    open();
    assertThrows(CorruptFileException.class, this::readAll);
    store.scheduler().runUntilIdle();
    assertTrue(disk.exists(aside()));
    assertThrows(MissingDataException.class, this::readAll);
    store.close();
    replaceAndCompare();
  }

  private void replaceAndCompare() throws Exception {
    byte[] damaged = disk.content(where().dataPath());
    SSTableSalvage.Outcome outcome = replace();
    open();
    Set<String> there = readAll();
    assertEquals(outcome.whole() + 1, there.size());
    assertTrue(there.size() < ROWS && there.size() > ROWS / 2, "" + there.size());
    assertEquals(List.of(), store.engine().figures(family.id()).orElseThrow().quarantined());
    assertEquals(damaged.length, disk.content(aside()).length, "it stays in quarantine");
    store.close();
    try (Manifest manifest = manifest()) {
      assertEquals(List.of(2L, 3L), List.copyOf(manifest.family(family.id()).files().keySet()));
      assertThrows(IllegalArgumentException.class, () -> swap(manifest, Optional.empty()));
    }
  }

  @Test
  void whereNothingIsSoundTheFileIsOnlyGivenUp() throws Exception {
    try (Manifest manifest = manifest()) {
      swap(manifest, Optional.empty());
    }
    open();
    assertEquals(List.of("other"), List.copyOf(readAll()));
    assertTrue(disk.exists(aside()));
    assertFalse(disk.exists(live().dataPath()));
  }

  @Test
  void recordsThatWereSetAsideAreNoDataFile() throws Exception {
    try (Manifest manifest = manifest()) {
      assertFalse(
          DamagedFileReplacement.isQuarantined(manifest.family(family.id()), live()), "it is live");
      SSTableIdentity records = identity(9);
      manifest.apply(
          Edit.setAside(
              family.id(),
              new Quarantined(
                      Quarantined.QuarantineKind.LOGGED_RECORDS,
                      2,
                      records,
                      "",
                      0,
                      "a reason",
                      1,
                      KeyExtent.UNKNOWN)
                  .entry()));
      assertFalse(
          DamagedFileReplacement.isQuarantined(manifest.family(family.id()), records), "records");
    }
  }

  @Test
  void aCrashAfterAnyOperationLeavesTheOldOrTheNew() throws Exception {
    SimFileSystem start = disk.crashClone();
    long before = disk.operations();
    long whole = replace().whole();
    long operations = disk.operations() - before;
    assertTrue(operations > 20, "" + operations);
    int old = 0;
    int replaced = 0;
    for (long n = 0; n <= operations; n++) {
      disk = start.crashClone();
      disk.stopAfter(disk.operations() + n);
      try {
        replace();
      } catch (IOException powerLost) {
        // The point of the exercise.
      }
      SimFileSystem crashed = disk;
      for (int seed = -1; seed < 2; seed++) {
        disk = seed < 0 ? crashed.crashClone() : crashed.crashClone(new SeededRandom(seed));
        String where = "operation " + n + ", seed " + seed;
        open();
        if (isOld(where)) {
          old++;
          store.close();
          assertEquals(whole, replace().whole(), where);
          open();
        } else {
          replaced++;
        }
        assertEquals(whole + 1, readAll().size(), where);
        assertTrue(disk.exists(aside()), where);
        store.close();
      }
    }
    assertTrue(old > 10 && replaced > 1, old + " old, " + replaced + " new");
  }

  /** Whether reads are refused, as before; otherwise they must be those of the new file. */
  private boolean isOld(String where) throws Exception {
    try {
      readAll();
      return false;
    } catch (UnreadableFileException | MissingDataException refused) {
      store.scheduler().runUntilIdle();
      assertThrows(MissingDataException.class, this::readAll, where);
      return true;
    }
  }

  private SSTableSalvage.Outcome replace() throws IOException {
    SSTableResources resources = TestFiles.smallResources(disk, ROOMY.sstables());
    SSTableIdentity fresh = identity(3);
    try (SSTableWriter writer = SSTableWriter.create(resources, fresh)) {
      SSTableSalvage.Outcome outcome =
          new SSTableSalvage(disk, where(), writer, this::token, loss -> {}, bytes -> {}).run();
      writer.finish().release();
      try (Manifest manifest = manifest()) {
        swap(manifest, Optional.of(fresh.generation()));
      }
      return outcome;
    }
  }

  private void swap(Manifest manifest, Optional<Long> salvaged) throws IOException {
    CorruptFileException damage = new CorruptFileException(live().dataPath(), 0, "this", "that");
    SSTableIdentity lies =
        DamagedFileReplacement.run(disk, manifest, live(), salvaged, damage, clock.wallSeconds());
    assertEquals(aside(), lies.dataPath());
  }

  private Manifest manifest() throws IOException {
    return Manifest.open(disk, Manifest.readIdentity(disk), 1 << 20);
  }

  private void open() throws Exception {
    store = SimulatedStore.open(disk, ROOMY, clock);
    family = store.family("K", "F");
  }

  private SSTableIdentity live() {
    return identity(1);
  }

  private SSTableIdentity where() throws IOException {
    return DamagedFileReplacement.whereItLies(disk, live());
  }

  private String aside() {
    return live().dataPath() + ".quarantined";
  }

  private SSTableIdentity identity(long generation) {
    return new SSTableIdentity(
        "keyspaces/K/F-" + family.id(),
        generation,
        family.id(),
        store.partitioner().name(),
        family.order());
  }

  private byte[] token(byte[] key) {
    return store.key(new String(key, StandardCharsets.UTF_8)).token();
  }

  /** Damages the second block. */
  private void damage() throws IOException {
    byte[] sound = disk.content(live().dataPath());
    ByteBuffer bytes = ByteBuffer.wrap(sound);
    int first = 18 + bytes.getInt(10);
    int second = first + 13 + bytes.getInt(first + 4);
    disk.flipBit(live().dataPath(), 8L * (second + 20));
    assertTrue(second + 13 + bytes.getInt(second + 4) < sound.length - 1000, "more blocks follow");
  }

  private void write(String name) {
    RowKey key = store.key(name);
    Cell cell = Cell.live(bytes("c"), null, bytes("x".repeat(200) + name), 1);
    RowUpdate update = RowUpdate.builder(family.order()).add(cell).build();
    List<Mutation.FamilyMutation> parts = List.of(new Mutation.FamilyMutation(family.id(), update));
    store.await(store.engine().write(new Mutation(key, parts, 0), true));
  }

  /** The names of all rows that are there, each read by itself. */
  private Set<String> readAll() throws Exception {
    TreeSet<String> there = new TreeSet<>();
    List<String> names = new ArrayList<>(List.of("other"));
    for (int i = 0; i < ROWS; i++) {
      names.add("row" + i);
    }
    Slice all = new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE);
    for (String name : names) {
      SliceCommand query =
          new SliceCommand(store.key(name), all, Optional.empty(), 1 << 20, clock.wallSeconds());
      try {
        RowPage page =
            store.await(store.engine().read(family.id(), query, ListedPages.ROW)).result();
        if (!page.cells().isEmpty()) {
          assertEquals(
              "x".repeat(200) + name,
              new String(page.cells().get(0).value(), StandardCharsets.UTF_8));
          there.add(name);
        }
      } catch (CompletionException e) {
        throw e.getCause() instanceof Exception cause ? cause : e;
      }
    }
    return there;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
