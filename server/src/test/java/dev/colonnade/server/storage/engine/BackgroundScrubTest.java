package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All live files are read at a low rate, and damage that no read has met is found. */
final class BackgroundScrubTest {

  private static final long RATE = 1 << 10;

  private static final int ROWS = 300;

  private final SimFileSystem disk = new SimFileSystem();
  private SimulatedStore store = new Opening(disk).open(RATE);
  private ColumnFamily family = twoFiles("F");

  /** Opens a store with a rate. */
  private record Opening(SimFileSystem disk) {
    SimulatedStore open(long bytesPerSecond) {
      EngineSettings settings =
          EngineSettingsBuilder.of(SimulatedStore.TINY)
              .withLog(CommitLogSettings.defaults())
              .withScrubBytesPerSecond(bytesPerSecond)
              .build();
      try {
        return SimulatedStore.open(disk, settings, new SimClock());
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  /** File 1 has many rows, file 2 one. */
  private ColumnFamily twoFiles(String name) {
    if (name.equals("F")) {
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    }
    store.await(store.schema().createFamily(FamilyDefinition.standard("K", name, "UTF8Type")));
    ColumnFamily created = store.family("K", name);
    for (int i = 0; i < ROWS; i++) {
      write(created, "row" + i);
    }
    store.await(store.engine().flush(created.id()));
    write(created, "other");
    store.await(store.engine().flush(created.id()));
    return created;
  }

  @AfterEach
  void noTaskFailed() throws Exception {
    assertEquals(List.of(), store.scheduler().failures());
    store.close();
    assertEquals(List.of(), disk.openFiles());
  }

  @Test
  void allFilesAreReadAtTheRateAndAgainAfterAWeek() throws Exception {
    assertEquals(0, figures().verifiedBytes());
    store.scheduler().advance(BackgroundScrub.LOOK_PERIOD);
    store.scheduler().advance(Duration.ofSeconds(4));
    long soon = figures().verifiedBytes();
    assertTrue(soon >= 3 * RATE && soon < 5 * RATE, "" + soon);
    assertEquals(0, figures().lastPassSeconds());
    store.scheduler().advance(Duration.ofMinutes(30));
    long pass = figures().verifiedBytes();
    assertTrue(pass > disk.content(path(1, "Data.db")).length, "" + pass);
    assertTrue(figures().lastPassSeconds() > 0);
    store.scheduler().advance(BackgroundScrub.PASS_PERIOD.minusHours(2));
    assertEquals(pass, figures().verifiedBytes(), "it rests until a week has passed");
    store.scheduler().advance(Duration.ofHours(3));
    assertEquals(2 * pass, figures().verifiedBytes());
    assertEquals(0, figures().damagedFiles());
    assertEquals(List.of(), quarantined());
  }

  @Test
  void damagedRowsAreFoundAndSetAside() throws Exception {
    byte[] sound = disk.content(path(1, "Data.db"));
    disk.flipBit(path(1, "Data.db"), 8L * sound.length * 2 / 3);
    store.scheduler().advance(Duration.ofHours(2));
    assertEquals(1, figures().damagedFiles());
    assertEquals(1, quarantined().size());
    assertEquals(1, quarantined().get(0).number());
    assertTrue(disk.exists(path(1, "Data.db") + ".quarantined"));
    assertTrue(figures().lastPassSeconds() > 0, "the pass goes on with the other files");
  }

  @Test
  void damagedAuxiliaryComponentsAreRebuilt() throws Exception {
    Map<String, byte[]> sound = new HashMap<>();
    for (String component : List.of("Index", "Filter", "Meta")) {
      String path = path(twoFiles("Damaged" + component), 1, component + ".db");
      sound.put(path, disk.content(path));
      disk.flipBit(path, 8L * disk.content(path).length / 2);
    }
    store.scheduler().advance(Duration.ofHours(3));
    assertTrue(figures().lastPassSeconds() > 0);
    assertEquals(3, figures().damagedFiles());
    for (Map.Entry<String, byte[]> each : sound.entrySet()) {
      assertArrayEquals(each.getValue(), disk.content(each.getKey()), each.getKey());
    }
    assertEquals(List.of(), quarantined());
  }

  @Test
  void atARateOfZeroNothingIsRead() throws Exception {
    store.close();
    store = new Opening(disk).open(0);
    disk.flipBit(path(1, "Data.db"), 8L * disk.content(path(1, "Data.db")).length / 2);
    store.scheduler().advance(Duration.ofHours(3));
    assertEquals(new ScrubFigures(0, 0, 0), figures());
    assertEquals(List.of(), quarantined());
  }

  @Test
  void theRateChangesWhileItRunsAndAtZeroAPassWaits() throws Exception {
    store.scheduler().advance(BackgroundScrub.LOOK_PERIOD);
    store.scheduler().advance(Duration.ofSeconds(3));
    store.engine().limits().scrubBytesPerSecond(0);
    long read = figures().verifiedBytes();
    store.scheduler().advance(Duration.ofHours(3));
    assertEquals(read, figures().verifiedBytes());
    assertEquals(0, figures().lastPassSeconds());

    store.engine().limits().scrubBytesPerSecond(1 << 20);
    store.scheduler().advance(Duration.ofSeconds(2));
    assertTrue(figures().lastPassSeconds() > 0, "the pass goes on");

    store.close();
    store = new Opening(disk).open(0);
    store.engine().limits().scrubBytesPerSecond(1 << 20);
    store.scheduler().advance(Duration.ofHours(2));
    assertTrue(figures().lastPassSeconds() > 0, "it begins with the first rate");
  }

  @Test
  void aRequestedPassReadsTheFilesOfItsFamiliesAtOnceAndAtTheRate() throws Exception {
    ColumnFamily other = twoFiles("Other");
    byte[] sound = disk.content(path(1, "Data.db"));
    disk.flipBit(path(1, "Data.db"), 8L * sound.length * 2 / 3);
    List<ScrubReport> told = new ArrayList<>();

    ScrubReport ofOther = store.await(request(other, told));
    assertEquals(2, ofOther.filesDone());
    assertTrue(ofOther.blocks() > 5, ofOther.toString());
    assertEquals(figures().verifiedBytes(), ofOther.bytes());
    assertTrue(told.size() >= ofOther.bytes() / RATE - 1, "" + told.size());
    assertTrue(ofOther.inWords().endsWith("no damage"), ofOther.inWords());
    assertEquals(List.of(), quarantined());

    ScrubReport damaged = store.await(request(family, told));
    assertEquals(2, damaged.filesDone());
    assertTrue(damaged.inWords().endsWith("damaged is file 1 of K.F"), damaged.inWords());
    store.scheduler().runUntilIdle();
    assertEquals(1, quarantined().size());
    assertEquals(0, figures().lastPassSeconds(), "it is no pass over all files");
  }

  @Test
  void oneRequestIsServedAtATimeAndEndsWithItsCallerOrTheNode() throws Exception {
    CompletableFuture<ScrubReport> first = request(family, new ArrayList<>());
    store.scheduler().advance(Duration.ofSeconds(2));
    CompletableFuture<ScrubReport> second = request(family, new ArrayList<>());
    assertThrows(CompletionException.class, second::join);
    first.cancel(false);
    store.scheduler().advance(Duration.ofSeconds(2));
    long read = figures().verifiedBytes();
    store.scheduler().advance(Duration.ofSeconds(10));
    assertEquals(read, figures().verifiedBytes(), "nothing is read for a caller that has gone");

    CompletableFuture<ScrubReport> third = request(family, new ArrayList<>());
    store.scheduler().advance(Duration.ofMillis(10));
    assertFalse(third.isDone(), third::toString);
    store.await(store.engine().stop());
    assertThrows(CompletionException.class, third::join);
  }

  private CompletableFuture<ScrubReport> request(ColumnFamily of, List<ScrubReport> told) {
    return store.engine().scrub().request(List.of(of.id()), told::add);
  }

  @Test
  void itEndsWithTheNode() throws Exception {
    store.scheduler().advance(BackgroundScrub.LOOK_PERIOD);
    store.scheduler().advance(Duration.ofSeconds(3));
    long read = figures().verifiedBytes();
    assertTrue(read > 0);
    store.await(store.engine().stop());
    long stopped = figures().verifiedBytes();
    store.scheduler().advance(Duration.ofHours(3));
    assertEquals(stopped, figures().verifiedBytes());
    assertEquals(0, figures().lastPassSeconds(), "it did not reach the end");
  }

  @Test
  void filesThatGoWhileItRunsAreLeftOut() throws Exception {
    ColumnFamily dropped = twoFiles("Dropped");
    ColumnFamily truncated = twoFiles("Truncated");
    ColumnFamily merged = twoFiles("Merged");
    store.scheduler().advance(BackgroundScrub.LOOK_PERIOD);
    store.scheduler().advance(Duration.ofSeconds(2));
    store.await(store.engine().truncate(truncated.id(), 1));
    store.await(store.engine().compact(merged.id(), progress -> {}));
    store.await(store.schema().dropFamily("K", "Dropped"));
    store.scheduler().runUntilIdle();
    assertFalse(disk.exists(path(merged, 1, "Data.db")), "no file is held over turns");
    assertFalse(disk.exists(path(truncated, 1, "Data.db")));
    assertFalse(disk.exists(path(dropped, 1, "Data.db")));
    store.scheduler().advance(Duration.ofHours(1));
    assertTrue(figures().lastPassSeconds() > 0);
    assertEquals(0, figures().damagedFiles());
    assertTrue(figures().verifiedBytes() > disk.content(path(1, "Data.db")).length);
  }

  private ScrubFigures figures() {
    return store.engine().figures().scrub();
  }

  private List<QuarantinedFile> quarantined() {
    return store.engine().figures(family.id()).orElseThrow().quarantined();
  }

  private String path(long generation, String component) {
    return path(family, generation, component);
  }

  private static String path(ColumnFamily of, long generation, String component) {
    return "keyspaces/K/"
        + of.name()
        + "-"
        + of.id()
        + "/00000000000"
        + generation
        + "-"
        + component;
  }

  private void write(ColumnFamily to, String name) {
    Cell cell = Cell.live(bytes("c"), null, bytes("x".repeat(100) + name), 1);
    RowUpdate update = RowUpdate.builder(to.order()).add(cell).build();
    List<Mutation.FamilyMutation> parts = List.of(new Mutation.FamilyMutation(to.id(), update));
    store.await(store.engine().write(new Mutation(store.key(name), parts, 0), true));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
