package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: deleted and expired data, and data of dropped families, never comes back. Method: the ways
 * in which stores have lost a deletion too early, one after the other, with a gc grace of ten
 * seconds and a log that does not ask for flushes by itself.
 */
class NoResurrectionTest {

  private static final EngineSettings SETTINGS =
      EngineSettingsBuilder.of(SimulatedStore.TINY)
          .withLog(CommitLogSettings.defaults())
          .withSSTables(SimulatedStore.TINY.sstables().withBlockBytes(64, 64))
          .build();

  private static final Duration PAST_GRACE = Duration.ofSeconds(12);

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private StoreScript store;

  @BeforeEach
  void open() throws Exception {
    store = StoreScript.open(disk, SETTINGS, clock);
  }

  @Test
  void aDeletionOutlivesAMergeThatLeavesOutAnOlderFile() throws Exception {
    ColumnFamily family = create(standard("F"));
    store.put(family, "row", "a", "old", 1);
    largeFile(family);
    store.delete(family, "row", "a", 2);
    store.flush(family);
    mergeAllButTheLargeFile(family);
    assertEquals("", store.row(family, "row"));
    assertEquals("", afterAllElse("row"));
  }

  @Test
  void anExpiredValueOutlivesAMergeThatLeavesOutWhatItHides() throws Exception {
    ColumnFamily family = create(standard("F"));
    store.put(family, "row", "a", "old", 1);
    largeFile(family);
    store.putFor(family, "row", "a", "new", 2, 3);
    store.flush(family);
    assertEquals("a=new", store.row(family, "row"));
    pass(Duration.ofSeconds(4));
    mergeAllButTheLargeFile(family);
    assertEquals("", store.row(family, "row"));
    assertEquals("", afterAllElse("row"));
  }

  @Test
  void aDeletionOutlivesAMergeWhileAMemtableHoldsWhatItHides() throws Exception {
    ColumnFamily family = create(standard("F"));
    store.delete(family, "row", "a", 2);
    store.flush(family);
    store.put(family, "row", "b", "other", 1);
    store.flush(family);
    store.put(family, "last", "b", "other", 1);
    store.flush(family);
    store.put(family, "row", "a", "late", 1);
    pass(PAST_GRACE);
    letMerge(family);
    assertEquals(1, files(family));
    assertEquals("b=other", store.row(family, "row"));
    assertEquals("b=other", afterAllElse("row"));
  }

  @Test
  void aDeletionOutlivesAMergeWhileAFlushOfWhatItHidesIsUnderWay() throws Exception {
    ColumnFamily family = create(standard("F"));
    store.delete(family, "row", "a", 2);
    store.flush(family);
    store.put(family, "row", "a", "late", 1);
    pass(PAST_GRACE);
    CompletableFuture<Void> merged = store.store().engine().compact(family.id(), progress -> {});
    CompletableFuture<List<String>> flushed = store.store().engine().flush(family.id());
    while (store.store().scheduler().step()) {
      assertEquals("", StoreScript.text(store.store().await(store.page(family, "row")).cells()));
    }
    store.store().await(flushed);
    store.store().await(merged);
    assertEquals("", afterAllElse("row"));
  }

  @Test
  void aSegmentThatAQuietFamilyPinsBringsNothingBackWhenItIsReplayed() throws Exception {
    ColumnFamily quiet = create(standard("Quiet"));
    ColumnFamily family = create(standard("F"));
    store.put(quiet, "row", "a", "kept", 1);
    store.put(family, "row", "a", "old", 1);
    store.putFor(family, "row", "b", "brief", 1, 2);
    store.flush(family);
    store.delete(family, "row", "a", 2);
    pass(PAST_GRACE);
    pass(Duration.ofSeconds(5));
    store.compact(family);
    assertEquals(0, files(family), "the deletion was purged with all that it hid");
    store = store.killed();
    assertEquals("a=kept", store.row(store.family("Quiet"), "row"));
    assertEquals("", store.row(store.family("F"), "row"));
    assertEquals("", afterAllElse("row"));
  }

  @Test
  void whatWasTruncatedIsNotReplayed() throws Exception {
    ColumnFamily quiet = create(standard("Quiet"));
    ColumnFamily family = create(standard("F"));
    store.put(quiet, "row", "a", "kept", 1);
    store.put(family, "row", "a", "old", 5);
    store.flush(family);
    store.put(family, "row", "b", "old", 5);
    store.deleteRow(family, "other", 9);
    store.store().await(store.store().schema().truncate(family, Long.MAX_VALUE));
    store.put(store.family("F"), "other", "c", "written after", 1);
    store = store.killed();
    assertEquals("", store.row(store.family("F"), "row"));
    assertEquals("c=written after", store.row(store.family("F"), "other"));
    store = store.powerCut();
    assertEquals("", afterAllElse("row"));
    assertEquals("c=written after", store.row(store.family("F"), "other"));
    assertEquals("a=kept", store.row(store.family("Quiet"), "row"));
  }

  @Test
  void aTruncateTakesDeletionsAndWhatTheyHideAwayTogether() {
    ColumnFamily family = create(standard("F"));
    store.put(family, "row", "a", "old", 1);
    store.flush(family);
    store.delete(family, "row", "a", 2);
    CompletableFuture<Void> truncated = store.store().schema().truncate(family, Long.MAX_VALUE);
    do {
      assertEquals("", StoreScript.text(store.store().await(store.page(family, "row")).cells()));
    } while (store.store().scheduler().step());
    assertTrue(truncated.isDone());
  }

  @Test
  void aTruncateThatFailsTakesNothingAway() {
    ColumnFamily family = create(standard("F"));
    store.put(family, "row", "a", "old", 1);
    store.put(family, "row", "b", "kept", 1);
    store.flush(family);
    store.delete(family, "row", "a", 2);
    store.put(family, "row", "c", "in memory", 2);
    disk.failAt(disk.operations() + 1);
    CompletableFuture<Void> truncated = store.store().schema().truncate(family, Long.MAX_VALUE);
    store.store().scheduler().runUntilIdle();
    assertThrows(CompletionException.class, truncated::join);
    assertEquals("b=kept c=in memory", store.row(family, "row"));
  }

  @Test
  void aFamilyMadeAgainShowsNothingOfTheOneBefore() throws Exception {
    ColumnFamily quiet = create(standard("Quiet"));
    ColumnFamily first = create(standard("F").with(FamilyField.ROWS_CACHED, "10"));
    store.put(quiet, "row", "a", "kept", 1);
    store.put(first, "row", "a", "old", 9);
    store.flush(first);
    store.put(first, "row", "b", "old, in the log only", 9);
    assertEquals("a=old b=old, in the log only", store.row(first, "row"));
    store.drop("F");
    ColumnFamily second = create(standard("F").with(FamilyField.ROWS_CACHED, "10"));
    assertEquals("", store.row(second, "row"));
    store.put(second, "row", "c", "new", 1);
    assertEquals("c=new", store.row(second, "row"));
    store = store.killed();
    assertEquals("c=new", store.row(store.family("F"), "row"));
    store = store.powerCut();
    assertEquals("c=new", afterAllElse("row"));
    assertEquals("a=kept", store.row(store.family("Quiet"), "row"));
  }

  @Test
  void aSuperColumnsDeletionHidesColumnsInFilesThatAMergeLeavesOut() throws Exception {
    ColumnFamily family =
        create(FamilyDefinition.superFamily(StoreScript.KEYSPACE, "F", "UTF8Type", "UTF8Type"));
    store.put(family, "row", "s/a", "old", 1);
    store.put(family, "row", "s/b", "old", 2);
    largeFile(family);
    store.deleteTop(family, "row", "s", 2);
    store.flush(family);
    store.put(family, "row", "s/c", "new", 3);
    mergeAllButTheLargeFile(family);
    assertEquals("s/c=new", store.row(family, "row"));
    store.delete(family, "row", "s/c", 3);
    assertEquals("", store.row(family, "row"));
    assertEquals("", afterAllElse("row"));
  }

  @Test
  void aRangesDeletionHidesItsRangeInEveryBlockBeforeAndAfterMerges() throws Exception {
    ColumnFamily family = create(standard("F"));
    for (int i = 0; i < 60; i++) {
      store.put(family, "row", column(i), "old", 1);
    }
    largeFile(family);
    PathRange range =
        new PathRange(
            Bound.before(StoreScript.bytes(column(10))),
            Bound.after(StoreScript.bytes(column(49))));
    store.deleteRange(family, "row", range, 2);
    for (int i = 0; i < 60; i += 7) {
      store.put(family, "row", column(i), "new", 3);
    }
    store.flush(family);
    StringJoiner expected = new StringJoiner(" ");
    for (int i = 0; i < 60; i++) {
      if (i % 7 == 0 || i < 10 || i > 49) {
        expected.add(column(i) + "=" + (i % 7 == 0 ? "new" : "old"));
      }
    }
    assertEquals(expected.toString(), store.row(family, "row"));
    mergeAllButTheLargeFile(family);
    assertEquals(expected.toString(), store.row(family, "row"));
    assertEquals(expected.toString(), afterAllElse("row"));
  }

  @Test
  void aRowsDeletionOutlivesAMergeThatLeavesOutItsColumns() throws Exception {
    ColumnFamily family = create(standard("F"));
    store.put(family, "row", "a", "old", 1);
    store.put(family, "row", "b", "old", 2);
    largeFile(family);
    store.deleteRow(family, "row", 2);
    store.flush(family);
    mergeAllButTheLargeFile(family);
    assertEquals("", store.row(family, "row"));
    assertEquals("", afterAllElse("row"));
  }

  @Test
  void aClockThatStepsBackBringsNothingBack() throws Exception {
    ColumnFamily family = create(standard("F"));
    store.put(family, "row", "a", "old", 1);
    store.put(family, "row", "b", "old", 1);
    largeFile(family);
    store.putFor(family, "row", "a", "brief", 2, 3);
    store.delete(family, "row", "b", 2);
    store.flush(family);
    pass(PAST_GRACE);
    clock.stepWall(Duration.ofDays(-1));
    store.delete(family, "row", "b", 3);
    mergeAllButTheLargeFile(family);
    store.compact(family);
    // By the present clock the value with a time to live may be live again; what it hid may not.
    assertTrue(List.of("", "a=brief").contains(store.row(family, "row")));
    clock.stepWall(Duration.ofDays(2));
    assertEquals("", store.row(family, "row"));
    assertEquals("", afterAllElse("row"));
  }

  @Test
  void aCrashAtAnyMomentOfAPurgeBringsNothingBack() throws Exception {
    ColumnFamily family = create(standard("F"));
    store.put(family, "row", "a", "old", 1);
    store.put(family, "row", "b", "kept", 1);
    store.flush(family);
    store.delete(family, "row", "a", 2);
    store.flush(family);
    pass(PAST_GRACE);
    SimFileSystem before = disk.copy();
    SimClock then = new SimClock();
    then.advance(Duration.ofNanos(clock.monotonicNanos()));
    store.compact(family);
    long last = disk.operations();
    int states = 0;
    for (long stop = 1; stop <= last; stop++) {
      SimFileSystem crashing = before.copy();
      crashing.kill();
      SimClock time = new SimClock();
      time.advance(Duration.ofNanos(then.monotonicNanos()));
      SimulatedStore opened = SimulatedStore.open(crashing, SETTINGS, time);
      ColumnFamily found = opened.family(StoreScript.KEYSPACE, "F");
      crashing.stopAfter(crashing.operations() + stop);
      boolean finished = opened.succeeds(opened.engine().compact(found.id(), progress -> {}));
      opened.scheduler().shutDown();
      for (int damage = 0; damage < 3; damage++) {
        SimFileSystem after = crashing.crashClone(new SeededRandom(stop * 31 + damage));
        StoreScript again = StoreScript.open(after, SETTINGS, time);
        assertEquals("b=kept", again.row(again.family("F"), "row"), "stopped after " + stop);
        states++;
      }
      if (finished) {
        break;
      }
    }
    assertTrue(states > 20, states + " states");
  }

  /** A file so large that a merge of small ones leaves it out, with whatever is in memory now. */
  private void largeFile(ColumnFamily family) {
    SeededRandom random = new SeededRandom(5);
    for (int i = 0; i < 8; i++) {
      StringBuilder value = new StringBuilder();
      for (int j = 0; j < 2_000; j++) {
        value.append((char) ('!' + random.nextInt(90)));
      }
      String path = family.isSuper() ? "s/a" : "a";
      store.put(family, "large" + i, path, value.toString(), 1);
    }
    store.flush(family);
  }

  /** Lets gc grace pass and the store merge what it thinks fit: three small files. */
  private void mergeAllButTheLargeFile(ColumnFamily family) {
    for (String other : List.of("first", "last")) {
      store.put(family, other, family.isSuper() ? "s/a" : "a", "v", 1);
      store.flush(family);
    }
    assertEquals(4, files(family));
    pass(PAST_GRACE);
    letMerge(family);
    assertEquals(2, files(family));
  }

  private void letMerge(ColumnFamily family) {
    store.store().await(store.store().schema().updateFamily(merging(family), List.of()));
    store.store().scheduler().runUntilIdle();
    store.store().await(store.store().schema().updateFamily(family.definition(), List.of()));
    store.store().scheduler().runUntilIdle();
  }

  private static FamilyDefinition merging(ColumnFamily family) {
    return family
        .definition()
        .with(FamilyField.MIN_COMPACTION_THRESHOLD, "3")
        .with(FamilyField.MAX_COMPACTION_THRESHOLD, "3");
  }

  /** What the row shows after a restart, another gc grace, a full merge and a crash. */
  private String afterAllElse(String row) throws Exception {
    store = store.restarted();
    String before = store.row(store.family("F"), row);
    pass(PAST_GRACE);
    store.compact(store.family("F"));
    assertEquals(before, store.row(store.family("F"), row));
    store = store.killed();
    store.compact(store.family("F"));
    assertEquals(before, store.row(store.family("F"), row));
    return before;
  }

  private ColumnFamily create(FamilyDefinition definition) {
    return store.create(
        definition
            .with(FamilyField.GC_GRACE, "10")
            .with(FamilyField.MIN_COMPACTION_THRESHOLD, "0")
            .with(FamilyField.MAX_COMPACTION_THRESHOLD, "0"));
  }

  private static FamilyDefinition standard(String name) {
    return FamilyDefinition.standard(StoreScript.KEYSPACE, name, "UTF8Type");
  }

  private int files(ColumnFamily family) {
    return (int) store.store().engine().figure(family.id(), FamilyFigure.SSTABLES);
  }

  private void pass(Duration time) {
    store.store().scheduler().advance(time);
  }

  private static String column(int number) {
    return String.format(Locale.ROOT, "c%03d", number);
  }
}
