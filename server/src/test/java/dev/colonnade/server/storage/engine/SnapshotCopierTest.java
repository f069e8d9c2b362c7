package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.PowerLostException;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SubdirectoryFiles;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.snapshot.SnapshotCopier;
import dev.colonnade.server.storage.snapshot.SnapshotCopier.Copied;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotRefusedException;
import dev.colonnade.server.storage.snapshot.SnapshotVerifier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies of a node's snapshots in a directory that keeps a file of several copies once. */
class SnapshotCopierTest {

  private static final long SEED = 20_261_127L;

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimFileSystem backup = new SimFileSystem();
  private SimulatedStore store;
  private long readBytes;

  @BeforeEach
  void open() throws Exception {
    store = SimulatedStore.open(disk, SimulatedStore.TINY, clock);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.standard("K", "F", "UTF8Type")));
  }

  @Test
  void aLaterCopyReadsAndWritesNewFilesOnly() throws Exception {
    SnapshotManifest monday = take("monday", "a", 8_000);
    assertEquals(monday.bytes(), copy("monday").copiedBytes());
    SnapshotManifest tuesday = take("tuesday", "b", 2_000);
    failReadsOf(disk, "a");
    long used = backup.usedBytes();

    Copied copied = copy("tuesday");

    assertEquals(0, disk.plan().fired(), "what is there already is not read at the source");
    assertEquals(tuesday.bytes() - monday.bytes(), copied.copiedBytes());
    assertEquals(monday.bytes(), copied.sharedBytes());
    assertEquals(copied.copiedBytes(), readBytes, "nor where the copies are");
    assertTrue(backup.usedBytes() - used < copied.copiedBytes() + 2_000);
    assertSound("monday");
    assertSound("tuesday");
  }

  private void failReadsOf(SimFileSystem files, String row) throws IOException {
    assertTrue(List.of("a").contains(row));
    String oldest = store.files().list("snapshots/monday/" + familyDirectory()).get(0);
    String generation = oldest.substring(0, oldest.indexOf('-'));
    files
        .plan()
        .add(FileFault.ERROR)
        .on(FileOperation.READ)
        .where(path -> path.contains("/" + generation + "-"));
  }

  private String familyDirectory() throws IOException {
    return "keyspaces/K/" + disk.list("keyspaces/K").get(0);
  }

  @Test
  void deletingAnOldCopyFreesWhatNoOtherHas() throws Exception {
    take("monday", "a", 4_000);
    copy("monday");
    store.await(store.engine().compact(family().id(), progress -> {}));
    take("tuesday", "b", 4_000);
    copy("tuesday");
    store.await(store.engine().compact(family().id(), progress -> {}));
    take("wednesday", "c", 4_000);
    copy("wednesday");
    SnapshotDirectory copies = new SnapshotDirectory(backup);
    List<SnapshotDirectory.Listed> all = copies.list(Set.of());
    assertEquals(3, all.size());
    long freed = all.get(0).freedBytes();
    long used = backup.usedBytes();
    copies.delete("monday");
    assertTrue(used - backup.usedBytes() >= freed);
    assertSound("tuesday");
    assertSound("wednesday");
    copies.delete("wednesday");
    assertSound("tuesday");
  }

  /** At each operation of the store of copies, for a kill and for a power cut. */
  @Test
  void aCopyThatWasInterruptedGoesOnAndOlderOnesStayWhole() throws Exception {
    take("monday", "a", 3_000);
    copy("monday");
    SimFileSystem before = backup;
    SnapshotManifest tuesday = take("tuesday", "b", 6_000);
    SeededRandom random = new SeededRandom(SEED);
    boolean resumed = false;
    int states = 0;
    for (long operation = 0; ; operation++) {
      backup = before.copy();
      backup.stopAfter(backup.operations() + operation);
      boolean ended = true;
      try {
        copy("tuesday");
      } catch (PowerLostException interrupted) {
        ended = false;
      }
      SimFileSystem interrupted = backup;
      for (SimFileSystem after :
          List.of(interrupted.copy(), interrupted.crashClone(), interrupted.crashClone(random))) {
        states++;
        backup = after;
        assertSound("monday");
        Copied copied = copy("tuesday");
        resumed |= copied.keptBytes() > 0 && copied.copiedBytes() > 0;
        assertEquals(
            tuesday.bytes(), copied.keptBytes() + copied.copiedBytes() + copied.sharedBytes());
        assertSound("tuesday");
        for (String name : backup.list("snapshots/tuesday/" + familyDirectory())) {
          assertTrue(name.endsWith(".db"), name);
        }
      }
      if (ended) {
        break;
      }
    }
    assertTrue(resumed, "a copy went on with what was there");
    assertTrue(states > 60, states + " states");
  }

  @Test
  void aDamagedSourceIsNotCopied() throws Exception {
    take("monday", "a", 3_000);
    String directory = "snapshots/monday/" + familyDirectory();
    String file = directory + "/" + disk.list(directory).get(0);
    disk.flipBit(file, 100);
    assertThrows(UnreadableFileException.class, () -> copy("monday"));
    assertEquals(List.of(), new SnapshotDirectory(backup).list(Set.of()));
    assertEquals(List.of("monday"), new SnapshotDirectory(backup).unfinished());
    disk.flipBit(file, 100);
    copy("monday");
    assertSound("monday");
  }

  @Test
  void aDamagedCopyIsCopiedAgainIfItIsToBeReread() throws Exception {
    take("monday", "a", 3_000);
    copy("monday");
    String directory = "snapshots/monday/" + familyDirectory();
    backup.flipBit(directory + "/" + backup.list(directory).get(0), 100);
    assertEquals(0, copy("monday").copiedBytes(), "it is there, and not read");
    take("tuesday", "b", 1_000);

    SnapshotManifest tuesday = copy("tuesday", true).manifest();
    assertSound("tuesday");
    assertTrue(readBytes > tuesday.bytes(), "shared files are read as well");
    assertTrue(copy("monday", true).sharedBytes() > 0, "from the sound copy");
    assertSound("monday");
  }

  @Test
  void withoutHardLinksFilesAreCopiedAndTheirBytesAreCounted() throws Exception {
    SnapshotManifest monday = take("monday", "a", 3_000);
    copy("monday");
    SnapshotManifest tuesday = take("tuesday", "b", 1_000);
    backup.plan().add(FileFault.ERROR).on(FileOperation.LINK);
    Copied copied = copy("tuesday");
    assertEquals(tuesday.bytes(), copied.copiedBytes());
    assertEquals(monday.bytes(), copied.unlinkedBytes());
    assertSound("tuesday");
  }

  @Test
  void anotherSnapshotOfTheSameNameIsRefused() throws Exception {
    take("nightly", "a", 1_000);
    copy("nightly");
    store.await(store.engine().snapshots().clear("nightly"));
    take("nightly", "b", 1_000);
    assertThrows(SnapshotRefusedException.class, () -> copy("nightly"));
    assertSound("nightly");
  }

  private ColumnFamily family() {
    return store.family("K", "F");
  }

  private SnapshotManifest take(String name, String row, int bytes) {
    byte[] value = new byte[bytes];
    new SeededRandom(row.hashCode()).nextBytes(value);
    RowUpdate update =
        RowUpdate.builder(family().order())
            .add(Cell.live("column".getBytes(StandardCharsets.UTF_8), null, value, 1))
            .build();
    store.await(
        store
            .engine()
            .write(
                new Mutation(
                    store.key(row),
                    List.of(new Mutation.FamilyMutation(family().id(), update)),
                    clock.wallSeconds()),
                true));
    SnapshotManifest described =
        new SnapshotManifest(
            name,
            clock.wallMicros() + row.charAt(0),
            "sim",
            "node",
            store.partitioner().name(),
            List.of(),
            store.schema().current().rows(),
            List.of(),
            List.of(),
            Optional.empty());
    return store.await(
        store.engine().snapshots().take(described, List.of(family().id()), progress -> {}));
  }

  private Copied copy(String name) throws IOException {
    return copy(name, false);
  }

  private Copied copy(String name, boolean reread) throws IOException {
    readBytes = 0;
    return SnapshotCopier.copy(
        new SubdirectoryFiles(disk, "snapshots/" + name),
        backup,
        reread,
        (done, read) -> readBytes += read);
  }

  private void assertSound(String name) throws IOException {
    assertEquals(
        List.of(),
        SnapshotVerifier.verify(
                new SubdirectoryFiles(backup, "snapshots/" + name),
                ComparatorResolver.builtIns(),
                bytes -> {})
            .damage(),
        name);
  }
}
