package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.FormatTooNewException;
import dev.colonnade.server.base.codec.FuzzBytes;
import dev.colonnade.server.base.env.LockedException;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a store can be started and stopped any number of times, in order or not, and is the same
 * afterwards; a start that must not happen says why and changes nothing. Method: starts and stops
 * on a simulated disk, whose files and open handles are looked at.
 */
class StoreLifecycleTest {

  /** Where the version stands in the header of every file of ours. */
  private static final int VERSION_AT = 8;

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private StoreScript store;
  private ColumnFamily family;

  @BeforeEach
  void open() throws Exception {
    store = StoreScript.open(disk, SimulatedStore.TINY, clock);
    family = store.create(FamilyDefinition.standard(StoreScript.KEYSPACE, "F", "UTF8Type"));
  }

  @Test
  void aSecondStartInTheSameDirectoryIsRefusedAndDisturbsNothing() throws Exception {
    store.put(family, "row", "a", "1", 1);
    Map<String, byte[]> before = files();
    assertThrows(
        LockedException.class, () -> SimulatedStore.open(disk, SimulatedStore.TINY, clock));
    assertSame(before, files());
    store.put(family, "row", "b", "2", 2);
    store = store.killed();
    assertEquals("a=1 b=2", row());
  }

  @Test
  void aLogOfANewerReleaseIsRefusedAndLeftAsItWas() throws Exception {
    store.put(family, "row", "a", "1", 1);
    store.store().close();
    // The manifest is read before the log, and each start rewrites it.
    refusesNewer("segment", path -> !path.startsWith("MANIFEST"));
  }

  @Test
  void aManifestOfANewerReleaseIsRefusedAndLeftAsItWas() throws Exception {
    store.put(family, "row", "a", "1", 1);
    store.flush(family);
    store.store().close();
    refusesNewer("MANIFEST", path -> true);
  }

  @Test
  void whatWasWrittenWithoutTheLogIsThereAfterAnOrderlyStop() throws Exception {
    store.put(family, "row", "a", "1", 1);
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live(StoreScript.bytes("b"), null, StoreScript.bytes("2"), 2))
            .build();
    store
        .store()
        .await(
            store
                .store()
                .coordinator()
                .write(
                    List.of(
                        new RowMutation(
                            store.store().key("row"),
                            List.of(new RowMutation.FamilyUpdate(family, update)))),
                    false,
                    Consistency.ONE,
                    Long.MAX_VALUE));
    store = store.restarted();
    assertEquals("a=1 b=2", row());
  }

  @Test
  void aHundredStartsAndStopsLeaveNothingOpenAndNoMoreFilesThanTen() throws Exception {
    int filesAfterTen = 0;
    for (int starts = 1; starts <= 100; starts++) {
      store.put(family, "row", "a", Integer.toString(starts), starts);
      store.flush(family);
      store.compact(family);
      store.store().close();
      assertEquals(List.of(), disk.openFiles(), "files left open by stop " + starts);
      assertEquals(List.of(), store.store().scheduler().failures());
      store = StoreScript.open(disk, SimulatedStore.TINY, clock);
      family = store.family("F");
      assertEquals("a=" + starts, row());
      if (starts == 10) {
        filesAfterTen = files().size();
      }
    }
    int files = files().size();
    assertTrue(files <= filesAfterTen + 2, files + " files, and " + filesAfterTen + " after ten");
  }

  private String row() {
    return store.row(store.family("F"), "row");
  }

  /** Makes the newest such file one of the next version, with a sound header. */
  private void refusesNewer(String kind, Predicate<String> untouched) throws Exception {
    String path =
        files().keySet().stream()
            .filter(name -> name.contains(kind))
            .reduce((earlier, later) -> later)
            .orElseThrow();
    byte[] file = disk.content(path);
    file[VERSION_AT + 1]++;
    assertTrue(FuzzBytes.mendHeader(file) > 0, path + " has a header");
    disk.overwrite(path, file);
    Map<String, byte[]> before = files();
    before.keySet().removeIf(untouched.negate());
    FormatTooNewException refused =
        assertThrows(
            FormatTooNewException.class,
            () -> SimulatedStore.open(disk, SimulatedStore.TINY, clock));
    assertTrue(String.valueOf(refused.getMessage()).contains(path), refused.getMessage());
    Map<String, byte[]> after = files();
    after.keySet().removeIf(untouched.negate());
    assertSame(before, after);
    assertEquals(List.of(), disk.openFiles(), "a start that is refused closes what it opened");
  }

  private static void assertSame(Map<String, byte[]> before, Map<String, byte[]> after) {
    assertEquals(before.keySet(), after.keySet());
    before.forEach((path, content) -> assertArrayEquals(content, after.get(path), path));
  }

  /** All files by their paths. */
  private Map<String, byte[]> files() throws Exception {
    Map<String, byte[]> files = new TreeMap<>();
    Deque<String> places = new ArrayDeque<>(disk.list(""));
    while (!places.isEmpty()) {
      String place = places.pop();
      byte[] content = content(place);
      if (content == null) {
        for (String name : disk.list(place)) {
          places.push(place + "/" + name);
        }
      } else {
        files.put(place, content);
      }
    }
    return files;
  }

  private byte @Nullable [] content(String path) {
    try {
      return disk.content(path);
    } catch (IOException directory) {
      return null;
    }
  }
}
