package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.FileSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file answers like the sorted map it was written from. */
final class SSTableRoundTripTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aStandardFileAnswersLikeTheRowsItWasWrittenFrom(long seed) throws IOException {
    check(seed, TestRows.STANDARD, TestFiles.smallBlocks());
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16})
  void aSuperFileAnswersLikeTheRowsItWasWrittenFrom(long seed) throws IOException {
    check(seed, TestRows.SUPER, TestFiles.smallBlocks());
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22})
  void soItDoesUncompressedAndWithoutKeyIndex(long seed) throws IOException {
    SSTableSettings settings =
        FileSettings.withKeyIndexMinRows(
            TestFiles.smallBlocks().withCompression(SSTableSettings.BlockCompression.NONE),
            1_000_000);
    check(seed, TestRows.SUPER, settings);
  }

  @ParameterizedTest
  @ValueSource(longs = {31, 32})
  void soItDoesWithTheDefaultSettings(long seed) throws IOException {
    check(seed, TestRows.STANDARD, SSTableSettings.DEFAULT);
  }

  private static void check(long seed, PathOrder order, SSTableSettings settings)
      throws IOException {
    TestRows source = new TestRows(seed, order);
    NavigableMap<RowKey, RowState> rows = source.rows(60);
    SimFileSystem files = new SimFileSystem();
    SSTable table =
        TestFiles.write(TestFiles.resources(files, settings), TestFiles.identity(7, order), rows);
    assertEquals(settings.keyIndexMinRows() <= 60, table.hasKeyIndex());
    assertEquals(rows.size(), table.stats().rows());
    assertEquals(rows.firstKey(), table.firstKey());
    assertEquals(rows.lastKey(), table.lastKey());
    table.verify();
    sameRows(table, rows, source, "seed " + seed);
    sameKeys(table, rows, source);
    sameScan(table, rows, order);
    // What a second process finds.
    SSTable reopened =
        SSTable.open(TestFiles.resources(files, settings), TestFiles.identity(7, order));
    sameRows(reopened, rows, source, "reopened, seed " + seed);
    reopened.openKeyIndex();
    assertEquals(table.hasKeyIndex(), reopened.hasKeyIndex());
    sameRows(reopened, rows, source, "with key index, seed " + seed);
    assertEquals(
        table.stats().toString().replaceAll("TombstoneHistogram@[0-9a-f]+", ""),
        reopened.stats().toString().replaceAll("TombstoneHistogram@[0-9a-f]+", ""));
  }

  static void sameRows(SSTable table, Map<RowKey, RowState> rows, TestRows source, String where)
      throws IOException {
    PathOrder order = table.identity().order();
    List<PathRange> ranges = new ArrayList<>(List.of(PathRange.ALL));
    for (int i = 0; i < 12; i++) {
      ranges.add(source.range());
    }
    for (Map.Entry<RowKey, RowState> row : rows.entrySet()) {
      for (PathRange range : ranges) {
        for (boolean reversed : new boolean[] {false, true}) {
          AtomCursor found = table.row(row.getKey(), range, reversed, ReadContext.blocking());
          assertNotNull(found, where);
          assertEquals(
              TestFiles.drain(row.getValue().cursor(range, reversed, order)),
              TestFiles.drain(found),
              () -> where + ", row " + row.getKey() + ", " + range + (reversed ? " reversed" : ""));
        }
      }
    }
    RowKeyCursor walk = table.keys(table.firstKey(), ReadContext.blocking());
    for (RowKey key = walk.next(); key != null; key = walk.next()) {
      RowState row = Objects.requireNonNull(rows.get(key));
      String there = where + ", walked to row " + key;
      for (PathRange range : ranges) {
        for (boolean reversed : new boolean[] {false, true}) {
          assertEquals(
              TestFiles.drain(row.cursor(range, reversed, order)),
              TestFiles.drain(walk.row(range, reversed)),
              () -> there + ", " + range + (reversed ? " reversed" : ""));
        }
      }
    }
    for (int i = 0; i < 200; i++) {
      RowKey absent = TestRows.key("absent" + i);
      assertNull(table.row(absent, PathRange.ALL, false, ReadContext.blocking()), where);
    }
  }

  private static void sameKeys(SSTable table, NavigableMap<RowKey, RowState> rows, TestRows source)
      throws IOException {
    List<RowKey> starts = new ArrayList<>(rows.keySet());
    for (int i = 0; i < 40; i++) {
      starts.add(TestRows.key("start" + source.below(1000)));
      starts.add(RowKey.firstOf(TestRows.key("start" + source.below(1000)).token()));
    }
    for (RowKey start : starts) {
      RowKeyCursor cursor = table.keys(start, ReadContext.blocking());
      List<RowKey> found = new ArrayList<>();
      for (RowKey key = cursor.next(); key != null; key = cursor.next()) {
        found.add(key);
      }
      assertNull(cursor.next());
      assertEquals(List.copyOf(rows.tailMap(start, true).keySet()), found);
    }
  }

  private static void sameScan(SSTable table, NavigableMap<RowKey, RowState> rows, PathOrder order)
      throws IOException {
    try (SSTableScan scan = table.scan()) {
      int index = 0;
      for (Map.Entry<RowKey, RowState> row : rows.entrySet()) {
        assertEquals(row.getKey(), scan.nextRow());
        // Every third row is passed over, read or unread.
        if (index++ % 3 != 0) {
          assertEquals(
              TestFiles.drain(row.getValue().cursor(PathRange.ALL, false, order)),
              TestFiles.drain(scan.atoms()));
        }
      }
      assertNull(scan.nextRow());
      assertEquals(scan.totalBytes(), scan.bytesRead());
      assertTrue(scan.totalBytes() > 0);
    }
  }
}
