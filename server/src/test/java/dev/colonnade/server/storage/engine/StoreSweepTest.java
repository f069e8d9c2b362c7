package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.sim.Damage;
import dev.colonnade.server.sim.Figures;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Bits of every file of a whole store are flipped, and every file is cut: each time the store opens
 * and answers as before, or says what is damaged. An even share of all damages by default; {@code
 * -Dcolonnade.sweep.share=1} tries each.
 */
class StoreSweepTest {

  private static final List<String> ROWS = List.of("a", "b", "c", "d");

  private final SimClock clock = new SimClock();
  private SimFileSystem sound = new SimFileSystem();
  private Map<String, String> expected = new TreeMap<>();

  /** Two data files, one of them with a deletion of what is in the other, and a log on top. */
  @BeforeEach
  void store() throws Exception {
    SimulatedStore store = SimulatedStore.open(sound, SimulatedStore.TINY, clock);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.standard("K", "F", "UTF8Type")));
    ColumnFamily family = store.family("K", "F");
    write(store, "a", Cell.live(bytes("c"), null, bytes("one"), 1));
    write(store, "b", Cell.live(bytes("c"), null, bytes("one"), 1));
    store.await(store.engine().flush(family.id()));
    write(store, "a", Cell.deleted(bytes("c"), null, new DeletionTime(2, clock.wallSeconds())));
    write(store, "c", Cell.live(bytes("c"), null, bytes("two"), 2));
    store.await(store.engine().flush(family.id()));
    write(store, "d", Cell.live(bytes("c"), null, bytes("three"), 3));
    store.close();
    SimulatedStore again = SimulatedStore.open(sound.crashClone(), SimulatedStore.TINY, clock);
    for (String row : ROWS) {
      expected.put(row, read(again, row));
    }
    assertEquals("{a=, b=one, c=two, d=three}", expected.toString());
  }

  @Test
  void aFlippedBitChangesNoAnswer() throws Exception {
    int told = 0;
    int tried = 0;
    for (String file : files(sound, "")) {
      PrimitiveIterator.OfLong bits = Damage.bits(sound.content(file).length, 41).iterator();
      while (bits.hasNext()) {
        long bit = bits.nextLong();
        SimFileSystem damaged = sound.crashClone();
        damaged.flipBit(file, bit);
        tried++;
        told += check(damaged, file + ", bit " + bit) ? 1 : 0;
      }
    }
    assertTrue(told > tried / 8 && told < tried, told + " of " + tried);
    Figures.write("bits of a store", Map.of("flipped", tried, "told", told));
  }

  @Test
  void aCutFileChangesNoAnswer() throws Exception {
    int tried = 0;
    for (String file : files(sound, "")) {
      byte[] content = sound.content(file);
      PrimitiveIterator.OfLong lengths = Damage.lengths(content.length, 7).iterator();
      while (lengths.hasNext()) {
        int length = (int) lengths.nextLong();
        tried++;
        SimFileSystem damaged = sound.crashClone();
        damaged.overwrite(file, Arrays.copyOf(content, length));
        if (isLastSegment(file) && length >= SEGMENT_HEADER_BYTES) {
          // That looks like a torn tail, and may cost what was in it.
          var unused = SimulatedStore.open(damaged, SimulatedStore.TINY, clock);
        } else {
          check(damaged, file + " of " + length + " bytes");
        }
      }
    }
    Figures.write("lengths of a store's files", Map.of("tried", tried));
  }

  @Test
  void aFileThatIsGoneChangesNoAnswer() throws Exception {
    for (String file : files(sound, "")) {
      SimFileSystem damaged = sound.crashClone();
      damaged.delete(file);
      if (!isLastSegment(file)) {
        check(damaged, file + " is gone");
      }
    }
  }

  private static final int SEGMENT_HEADER_BYTES = 50;

  private boolean isLastSegment(String file) throws Exception {
    List<String> segments =
        files(sound, "").stream().filter(name -> name.startsWith("segment-")).toList();
    return file.equals(segments.get(segments.size() - 1));
  }

  /** Whether any damage was reported. */
  private boolean check(SimFileSystem disk, String what) throws Exception {
    SimulatedStore store;
    try {
      store = SimulatedStore.open(disk, SimulatedStore.TINY, clock);
    } catch (UnreadableFileException | java.io.FileNotFoundException told) {
      return true;
    } catch (Exception | Error other) {
      throw new AssertionError(what, other);
    }
    boolean told = false;
    for (int round = 0; round < 2; round++) {
      for (String row : ROWS) {
        try {
          assertEquals(expected.get(row), read(store, row), what + ", row " + row);
        } catch (UnreadableFileException | MissingDataException damage) {
          told = true;
        }
      }
      store.scheduler().runUntilIdle();
    }
    assertEquals(List.of(), store.scheduler().failures(), what);
    return told;
  }

  private static List<String> files(SimFileSystem disk, String directory) throws Exception {
    List<String> files = new ArrayList<>();
    for (String name : disk.list(directory)) {
      String path = directory.isEmpty() ? name : directory + "/" + name;
      try {
        files.addAll(files(disk, path));
      } catch (java.io.FileNotFoundException isAFile) {
        if (disk.content(path).length > 0) {
          files.add(path);
        }
      }
    }
    return files;
  }

  private static void write(SimulatedStore store, String key, Cell cell) {
    ColumnFamily family = store.family("K", "F");
    RowUpdate update = RowUpdate.builder(family.order()).add(cell).build();
    List<Mutation.FamilyMutation> parts = List.of(new Mutation.FamilyMutation(family.id(), update));
    store.await(store.engine().write(new Mutation(key(store, key), parts, 0), true));
  }

  private static String read(SimulatedStore store, String key) throws Exception {
    SliceCommand query =
        new SliceCommand(
            key(store, key),
            new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
            Optional.empty(),
            1 << 20,
            store.clock().wallSeconds());
    try {
      RowPage page =
          store
              .await(store.engine().read(store.family("K", "F").id(), query, ListedPages.ROW))
              .result();
      return page.cells().isEmpty()
          ? ""
          : new String(page.cells().get(0).value(), StandardCharsets.UTF_8);
    } catch (CompletionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static RowKey key(SimulatedStore store, String text) {
    try {
      return store.partitioner().rowKey(bytes(text));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
