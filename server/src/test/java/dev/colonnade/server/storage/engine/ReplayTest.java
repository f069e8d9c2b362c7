package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The commit log of earlier runs, and what was truncated, flushed or interrupted meanwhile. */
class ReplayTest {
  private static final EngineSettings PERIODIC =
      EngineSettingsBuilder.of(SimulatedStore.TINY).withSync(false, Duration.ofSeconds(1)).build();

  private static final EngineSettings ROOMY =
      EngineSettingsBuilder.of(PERIODIC).withLog(CommitLogSettings.defaults()).build();

  /** A heap that holds less than the log: the replay writes data files on the way. */
  private static final EngineSettings SMALL =
      EngineSettingsBuilder.of(ROOMY).withMemtableBytesMax(1 << 20).build();

  private static final String LARGE = "x".repeat(10_000);

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();

  @Test
  void theFirstWriteAfterAFlushOfWhatWasReplayedIsReplayedToo() throws Exception {
    StoreScript first = StoreScript.open(disk, PERIODIC, clock);
    ColumnFamily family = first.create(FamilyDefinition.standard("K", "F", "UTF8Type"));
    first.put(family, "row", "a", "before", 1);
    StoreScript second = first.killed();
    // The log of this run is empty yet, so the position that the flush covers is where it begins.
    second.flush(second.family("F"));
    second.put(second.family("F"), "row", "b", "after", 2);
    StoreScript third = second.killed();
    assertEquals("a=before b=after", third.row(third.family("F"), "row"));
  }

  @Test
  void theFirstWriteAfterATruncationOfWhatWasReplayedIsReplayedToo() throws Exception {
    StoreScript first = StoreScript.open(disk, PERIODIC, clock);
    ColumnFamily family = first.create(FamilyDefinition.standard("K", "F", "UTF8Type"));
    first.put(family, "row", "a", "before", 1);
    StoreScript second = first.killed();
    second.truncate(second.family("F"));
    second.put(second.family("F"), "row", "b", "after", 2);
    StoreScript third = second.killed();
    assertEquals("b=after", third.row(third.family("F"), "row"));
  }

  @Test
  void aReplayThatIsRepeatedGivesTheSameRows() throws Exception {
    StoreScript store = StoreScript.open(disk, SimulatedStore.TINY, clock);
    ColumnFamily family = store.create(FamilyDefinition.standard("K", "F", "UTF8Type"));
    store.put(family, "row", "a", "1", 1);
    store.put(family, "row", "b", "2", 1);
    store.flush(family);
    store.deleteRow(family, "row", 2);
    store.put(family, "row", "c", "3", 3);
    for (int starts = 0; starts < 10; starts++) {
      store = starts % 2 == 0 ? store.killed() : store.restarted();
      assertEquals("c=3", store.row(store.family("F"), "row"), "start " + starts);
    }
    store.flush(store.family("F"));
    store = store.killed();
    assertEquals("c=3", store.row(store.family("F"), "row"));
  }

  /** Two families: one is truncated in the middle of what is logged, the other is not. */
  private void log(StoreScript store) {
    ColumnFamily truncated = store.create(FamilyDefinition.standard("K", "T", "UTF8Type"));
    ColumnFamily kept = store.create(FamilyDefinition.standard("K", "F", "UTF8Type"));
    for (int i = 0; i < 100; i++) {
      store.put(truncated, "row" + i, "c", i + LARGE, i);
      store.put(kept, "row" + i, "c", i + LARGE, i);
    }
    store.truncate(truncated);
    for (int i = 50; i < 150; i++) {
      store.put(store.family("T"), "row" + i, "c", "after " + i + LARGE, i);
      store.put(kept, "row" + i, "d", i + LARGE, i);
    }
  }

  private static void assertRow(
      String expected, StoreScript store, String family, int row, String when) {
    String found = store.row(store.family(family), "row" + row);
    assertEquals(
        expected.replace(LARGE, "…"), found.replace(LARGE, "…"), family + row + " " + when);
  }

  private static void requireLogged(StoreScript store, String when) {
    for (int i = 0; i < 150; i++) {
      String c = i < 100 ? "c=" + i + LARGE : "";
      String d = i >= 50 ? "d=" + i + LARGE : "";
      String after = i < 50 ? "" : "c=after " + i + LARGE;
      assertRow(after, store, "T", i, when);
      assertRow((c + " " + d).strip(), store, "F", i, when);
    }
  }

  private static double memtableBytes(StoreScript store) {
    StorageEngine engine = store.store().engine();
    return engine.figure(store.family("T").id(), FamilyFigure.MEMTABLE_BYTES)
        + engine.figure(store.family("F").id(), FamilyFigure.MEMTABLE_BYTES);
  }

  @Test
  void aTruncationHoldsForALogThatIsReplayedThroughFiles() throws Exception {
    StoreScript store = StoreScript.open(disk, ROOMY, clock);
    log(store);
    store.store().scheduler().shutDown();
    disk.kill();
    for (int starts = 0; starts < 3; starts++) {
      store = StoreScript.open(disk, SMALL, clock);
      assertTrue(memtableBytes(store) <= 1 << 20, memtableBytes(store) + " bytes");
      requireLogged(store, "start " + starts);
      store.store().scheduler().shutDown();
      disk.kill();
    }
    store = StoreScript.open(disk, SMALL, clock);
    store.flush(store.family("T"));
    store.flush(store.family("F"));
    store.store().scheduler().runUntilIdle();
    assertTrue(store.store().engine().figures().log().segments() <= 2, "the old segments are gone");
    requireLogged(store.killed(), "after the flush");
  }

  /** Each fails another operation of the start, and the next one begins where that left off. */
  @Test
  void aReplayThatADiskErrorEndsIsContinuedByTheNextStart() throws Exception {
    StoreScript store = StoreScript.open(disk, ROOMY, clock);
    log(store);
    store.store().scheduler().shutDown();
    disk.kill();
    SimFileSystem sound = disk.copy();
    long before = sound.operations();
    StoreScript.open(sound, SMALL, clock).store().scheduler().shutDown();
    long operations = sound.operations() - before;
    int failed = 0;
    for (long operation = 1; operation < operations; operation += operations / 20) {
      disk.failAt(disk.operations() + operation);
      try {
        StoreScript.open(disk, SMALL, clock).store().scheduler().shutDown();
      } catch (IOException expected) {
        failed++;
      }
      disk.failAt(-1);
      disk.kill();
    }
    assertTrue(failed > 5, failed + " starts failed");
    requireLogged(StoreScript.open(disk, SMALL, clock), "after " + failed + " that failed");
  }
}
