package dev.colonnade.server.storage.compaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.storage.sstable.ReadContext;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.TestFiles;
import dev.colonnade.server.storage.sstable.TestRows;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A merge keeps every answer, and drops what no read can return any more. */
final class CompactionTest {
  private static final long FOR_EVER = 1_000_000;
  private static final int ATOMS_PER_STEP = 4_096;

  private final SimFileSystem files = new SimFileSystem();
  private final SSTableResources resources = TestFiles.resources(files, TestFiles.smallBlocks());
  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void mergedFilesAnswerLikeTheFilesTheyWereMergedFrom(long seed) throws IOException {
    PathOrder order = seed % 2 == 0 ? TestRows.SUPER : TestRows.STANDARD;
    List<NavigableMap<RowKey, RowState>> contents = contents(seed, order);
    SSTable merged = merge(write(contents, order), order, FOR_EVER, key -> Long.MIN_VALUE);
    assertNotNull(merged);
    merged.verify();
    for (RowKey key : keys(contents)) {
      AtomCursor found = merged.row(key, PathRange.ALL, false, ReadContext.blocking());
      assertNotNull(found, "seed " + seed);
      assertEquals(
          aged(TestFiles.drain(merge(contents, key, order))),
          TestFiles.drain(found),
          () -> "seed " + seed + ", row " + key);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void whatIsVisibleStaysWhenEverythingElseMayGo(long seed) throws IOException {
    PathOrder order = seed % 2 == 0 ? TestRows.SUPER : TestRows.STANDARD;
    List<NavigableMap<RowKey, RowState>> contents = contents(seed, order);
    SSTable merged = merge(write(contents, order), order, -1, key -> Long.MAX_VALUE);
    assertNotNull(merged);
    merged.verify();
    assertEquals(0, merged.stats().tombstones(), "seed " + seed);
    for (RowKey key : keys(contents)) {
      List<Cell> expected = live(merge(contents, key, order));
      AtomCursor found = merged.row(key, PathRange.ALL, false, ReadContext.blocking());
      assertEquals(
          expected, found == null ? List.of() : live(found), () -> "seed " + seed + " " + key);
    }
  }

  /**
   * Rows without deletions that one input alone has are copied; the file must be the same, byte for
   * byte, as one that is written cell by cell.
   */
  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24, 25, 26})
  void copiedRowsMakeTheSameFileAsWrittenOnes(long seed) throws IOException {
    PathOrder order = seed % 2 == 0 ? TestRows.SUPER : TestRows.STANDARD;
    List<NavigableMap<RowKey, RowState>> contents = new ArrayList<>();
    NavigableMap<RowKey, RowState> all = new TreeMap<>();
    for (int i = 0; i < 3; i++) {
      contents.add(liveRows(new SeededRandom(3 * seed + i), "file " + i, order));
      all.putAll(contents.get(i));
    }
    List<RowKey> decoded = new ArrayList<>();
    SSTable merged =
        merge(
            write(contents, order),
            order,
            0,
            key -> {
              decoded.add(key);
              return Long.MAX_VALUE;
            });
    assertNotNull(merged);
    // Rows of several blocks are decoded.
    assertTrue(decoded.size() < all.size() / 2, "seed " + seed + ": " + decoded.size());
    merged.verify();
    SimFileSystem apart = new SimFileSystem();
    SSTable written =
        TestFiles.write(
            TestFiles.resources(apart, TestFiles.smallBlocks()), merged.identity(), all);
    assertEquals(all.size(), written.stats().rows());
    for (String name : apart.list("f")) {
      assertArrayEquals(
          apart.content("f/" + name), files.content("f/" + name), "seed " + seed + ", " + name);
    }
  }

  /** Narrow rows, rows of several blocks, and values larger than a block. */
  private static NavigableMap<RowKey, RowState> liveRows(
      SeededRandom random, String file, PathOrder order) {
    NavigableMap<RowKey, RowState> rows = new TreeMap<>();
    for (int row = 0; row < 60; row++) {
      RowUpdate.Builder update = RowUpdate.builder(order);
      int cells = random.nextInt(10) == 0 ? 200 : 1 + random.nextInt(12);
      for (int i = 0; i < cells; i++) {
        byte[] top = new byte[1 + random.nextInt(order.isSuper() ? 1 : 8)];
        random.nextBytes(top);
        byte[] sub = order.isSuper() ? bytes(random.nextInt(256)) : null;
        byte[] value = new byte[random.nextInt(30) == 0 ? 3_000 : random.nextInt(20)];
        random.nextBytes(value);
        long timestamp = 1_700_000_000_000_000L + random.nextInt(1 << random.nextInt(30));
        update.add(Cell.live(top, sub, value, timestamp));
      }
      rows.put(TestRows.key(file + ", row " + row), RowState.EMPTY.apply(update.build(), order));
    }
    return rows;
  }

  @Test
  void aDeletionStaysUntilGcGraceIsOver() throws IOException {
    SSTable deleted = oneDeletion(5, TestRows.NOW - 100);
    assertNotNull(merge(List.of(deleted), TestRows.STANDARD, 100, key -> Long.MAX_VALUE));
    assertNull(merge(List.of(deleted), TestRows.STANDARD, 99, key -> Long.MAX_VALUE));
  }

  @Test
  void aDeletionStaysWhileSomethingOutsideMayBeHiddenByIt() throws IOException {
    SSTable deleted = oneDeletion(5, TestRows.NOW - 100);
    assertNotNull(merge(List.of(deleted), TestRows.STANDARD, 0, key -> 4));
    assertNotNull(merge(List.of(deleted), TestRows.STANDARD, 0, key -> 5));
    assertNull(merge(List.of(deleted), TestRows.STANDARD, 0, key -> 6));
  }

  @Test
  void anExpiredValueLosesItsBytesAndThenItsPlace() throws IOException {
    Cell expired = Cell.expiring(bytes(1), null, bytes(9), 5, 60, TestRows.NOW - 100);
    SSTable file = write(List.of(row(expired)), TestRows.STANDARD).get(0);
    SSTable merged = merge(List.of(file), TestRows.STANDARD, 200, key -> Long.MAX_VALUE);
    assertNotNull(merged);
    AtomCursor atoms = merged.row(TestRows.key("k"), PathRange.ALL, false, ReadContext.blocking());
    assertNotNull(atoms);
    assertEquals(Cell.expired(bytes(1), null, 5, TestRows.NOW - 100), atoms.next());
    assertEquals(1, merged.stats().tombstones());
    assertNull(merge(List.of(file), TestRows.STANDARD, 50, key -> Long.MAX_VALUE));
  }

  @Test
  void aDamagedInputEndsTheMergeAndIsNamed() throws IOException {
    List<SSTable> inputs = write(contents(7, TestRows.STANDARD), TestRows.STANDARD);
    String damaged = "f/000000000102-Data.db";
    files.flipBit(damaged, 4L * files.content(damaged).length);
    inputs.set(1, SSTable.open(resources, inputs.get(1).identity()));
    Ending ending = new Ending();
    start(inputs, TestRows.STANDARD, 0, key -> Long.MIN_VALUE, new Throttle(0), ending);
    scheduler.runUntilIdle();
    CorruptFileException damage = assertInstanceOf(CorruptFileException.class, ending.failure);
    assertTrue(damage.path().contains("000000000102-Data.db"), damage.getMessage());
    nothingIsLeftOfTheOutput();
  }

  @Test
  void aCancelledMergeLeavesNothingBehind() throws IOException {
    List<SSTable> inputs = write(contents(8, TestRows.STANDARD), TestRows.STANDARD);
    Ending ending = new Ending();
    Compaction merge =
        start(inputs, TestRows.STANDARD, 0, key -> Long.MIN_VALUE, new Throttle(1_000), ending);
    assertTrue(scheduler.step());
    assertEquals(0, ending.calls);
    merge.cancel();
    merge.cancel();
    scheduler.runUntilIdle();
    scheduler.advance(Duration.ofHours(1));
    assertEquals(1, ending.calls);
    assertTrue(ending.cancelled);
    nothingIsLeftOfTheOutput();
  }

  @Test
  void aMergeMovesNoMoreBytesASecondThanItMay() throws IOException {
    List<SSTable> inputs = write(contents(9, TestRows.STANDARD), TestRows.STANDARD);
    Ending ending = new Ending();
    Compaction merge =
        start(inputs, TestRows.STANDARD, 0, key -> Long.MIN_VALUE, new Throttle(1_000), ending);
    long seconds = merge.totalBytes() / 1_000;
    assertTrue(seconds > 20, "too little to measure: " + merge.totalBytes());
    scheduler.advance(Duration.ofSeconds(seconds / 4));
    assertEquals(0, ending.calls);
    assertTrue(merge.doneBytes() > 0 && merge.doneBytes() < merge.totalBytes());
    scheduler.advance(Duration.ofSeconds(2 * seconds));
    assertEquals(1, ending.calls);
    assertTrue(ending.output.isPresent());
  }

  private List<SSTable> write(List<NavigableMap<RowKey, RowState>> contents, PathOrder order)
      throws IOException {
    List<SSTable> tables = new ArrayList<>();
    for (NavigableMap<RowKey, RowState> rows : contents) {
      tables.add(TestFiles.write(resources, TestFiles.identity(101 + tables.size(), order), rows));
    }
    return tables;
  }

  private @Nullable SSTable merge(
      List<SSTable> inputs, PathOrder order, long gcGraceSeconds, MergeRequest.Outside outside) {
    Ending ending = new Ending();
    start(inputs, order, gcGraceSeconds, outside, new Throttle(0), ending);
    scheduler.runUntilIdle();
    assertNull(ending.failure);
    assertEquals(1, ending.calls);
    Optional<SSTable> output = ending.output;
    output.ifPresent(SSTable::markObsolete);
    return output.orElse(null);
  }

  private Compaction start(
      List<SSTable> inputs,
      PathOrder order,
      long gcGraceSeconds,
      MergeRequest.Outside outside,
      Throttle throttle,
      Ending ending) {
    MergeRequest request =
        new MergeRequest(
            inputs,
            resources,
            TestFiles.identity(200 + generations++, order),
            gcGraceSeconds,
            TestRows.NOW,
            ATOMS_PER_STEP,
            key -> true,
            outside);
    return Compaction.start(request, scheduler, clock, throttle, ending).orElseThrow();
  }

  private int generations;

  private void nothingIsLeftOfTheOutput() throws IOException {
    for (String name : files.list("f")) {
      assertFalse(name.startsWith("0000000002"), name);
    }
  }

  private SSTable oneDeletion(long timestamp, long seconds) throws IOException {
    Cell deleted = Cell.deleted(bytes(1), null, new DeletionTime(timestamp, seconds));
    return write(List.of(row(deleted)), TestRows.STANDARD).get(0);
  }

  private static NavigableMap<RowKey, RowState> row(Cell cell) {
    RowUpdate update = RowUpdate.builder(TestRows.STANDARD).add(cell).build();
    NavigableMap<RowKey, RowState> rows = new TreeMap<>();
    rows.put(TestRows.key("k"), RowState.EMPTY.apply(update, TestRows.STANDARD));
    return rows;
  }

  private static List<NavigableMap<RowKey, RowState>> contents(long seed, PathOrder order) {
    TestRows source = new TestRows(seed, order);
    List<NavigableMap<RowKey, RowState>> contents = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      contents.add(source.rows(40));
    }
    return contents;
  }

  private static Set<RowKey> keys(List<NavigableMap<RowKey, RowState>> contents) {
    TreeSet<RowKey> keys = new TreeSet<>();
    contents.forEach(rows -> keys.addAll(rows.keySet()));
    return keys;
  }

  private static AtomCursor merge(
      List<NavigableMap<RowKey, RowState>> contents, RowKey key, PathOrder order) {
    List<AtomCursor> cursors = new ArrayList<>();
    for (NavigableMap<RowKey, RowState> rows : contents) {
      RowState state = rows.get(key);
      if (state != null) {
        cursors.add(state.cursor(PathRange.ALL, false, order));
      }
    }
    return MergingCursor.of(cursors, order, false);
  }

  private static List<Object> aged(List<Object> atoms) {
    List<Object> aged = new ArrayList<>();
    for (Object atom : atoms) {
      boolean expired =
          atom instanceof Cell cell
              && cell.kind() == Cell.CellKind.EXPIRING
              && !cell.isLiveAt(TestRows.NOW);
      aged.add(expired ? withoutValue((Cell) atom) : atom);
    }
    return aged;
  }

  private static Cell withoutValue(Cell cell) {
    return Cell.expired(cell.top(), cell.sub(), cell.timestamp(), cell.localSeconds());
  }

  private static List<Cell> live(AtomCursor cursor) throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      if (!(atom instanceof RangeTombstoneMarker) && ((Cell) atom).isLiveAt(TestRows.NOW)) {
        cells.add((Cell) atom);
      }
    }
    return cells;
  }

  private static byte[] bytes(int value) {
    return new byte[] {(byte) value};
  }

  private static final class Ending implements Compaction.CompactionListener {
    int calls;
    Optional<SSTable> output = Optional.empty();
    @Nullable Throwable failure;
    boolean cancelled;

    @Override
    public void finished(Optional<SSTable> result) {
      calls++;
      output = result;
    }

    @Override
    public void failed(Throwable reason) {
      calls++;
      failure = reason;
    }

    @Override
    public void cancelled() {
      calls++;
      cancelled = true;
    }
  }
}
