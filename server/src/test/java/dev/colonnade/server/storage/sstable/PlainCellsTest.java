package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.PlainCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Cells that a file hands out in place are those that it hands out as objects. */
final class PlainCellsTest {
  private static final long SEED = 20261123;

  private final ReadContext context = ReadContext.blocking();

  private static SSTable write(PathOrder order, NavigableMap<RowKey, RowState> rows)
      throws IOException {
    return TestFiles.write(
        TestFiles.resources(new SimFileSystem(), TestFiles.smallBlocks()),
        TestFiles.identity(1, order),
        rows);
  }

  @Test
  void aRowOfLiveCellsIsHandedOutInPlace() throws IOException {
    RowUpdate.Builder update = RowUpdate.builder(TestRows.STANDARD);
    for (byte i = 0; i < 20; i++) {
      update.add(Cell.live(new byte[] {i}, null, new byte[i], i - 10));
    }
    assertEquals(20, plain(update.build()).count());
  }

  @Test
  void aRowWithAnythingElseIsNot() throws IOException {
    byte[] name = {1};
    Cell live = Cell.live(new byte[] {2}, null, new byte[3], 5);
    for (RowUpdate.Builder other :
        List.of(
            RowUpdate.builder(TestRows.STANDARD).add(Cell.expiring(name, null, name, 5, 60, 9_999)),
            RowUpdate.builder(TestRows.STANDARD)
                .add(Cell.deleted(name, null, new DeletionTime(5, 7))),
            RowUpdate.builder(TestRows.STANDARD).deleteRow(new DeletionTime(4, 7)),
            RowUpdate.builder(TestRows.STANDARD)
                .deleteRange(PathRange.of(name), new DeletionTime(4, 7)))) {
      SSTable table = write(TestRows.STANDARD, row(other.add(live).build()));
      assertNull(cursor(table, PathRange.ALL).plain(1_000));
      table.release();
    }
  }

  @Test
  void whatIsHandedOutInPlaceIsWhatTheCursorReads() throws IOException {
    int plain = 0;
    for (PathOrder order : List.of(TestRows.STANDARD, TestRows.SUPER)) {
      TestRows random = new TestRows(SEED, order);
      NavigableMap<RowKey, RowState> rows = random.rows(1_000);
      SSTable table = write(order, rows);
      for (Map.Entry<RowKey, RowState> row : rows.entrySet()) {
        for (int i = 0; i < 4; i++) {
          PathRange range = i == 0 ? PathRange.ALL : random.range();
          boolean reversed = i == 3;
          AtomCursor cursor = table.row(row.getKey(), range, reversed, context);
          assertNotNull(cursor);
          PlainCells cells = cursor.plain(1_000);
          if (cells != null) {
            plain++;
            List<Object> found = objects(cells);
            assertEquals(TestFiles.drain(cursor), found, "seed " + SEED + ", " + row.getKey());
          }
        }
      }
      table.release();
    }
    assertTrue(plain > 100, plain + " rows of live cells");
  }

  private PlainCells plain(RowUpdate update) throws IOException {
    SSTable table = write(TestRows.STANDARD, row(update));
    PlainCells plain = cursor(table, PathRange.ALL).plain(1_000);
    table.release();
    assertNotNull(plain);
    return plain;
  }

  private static NavigableMap<RowKey, RowState> row(RowUpdate update) {
    return new TreeMap<>(
        Map.of(TestRows.key("row"), RowState.EMPTY.apply(update, TestRows.STANDARD)));
  }

  private AtomCursor cursor(SSTable table, PathRange range) throws IOException {
    @Nullable AtomCursor cursor = table.row(TestRows.key("row"), range, false, context);
    assertNotNull(cursor);
    return cursor;
  }

  private static List<Object> objects(PlainCells cells) {
    List<Object> all = new ArrayList<>(List.of(DeletionTime.NONE, DeletionTime.NONE));
    for (int i = 0; i < cells.count(); i++) {
      all.add(
          Cell.live(
              part(cells, cells.nameFrom(i), cells.nameLength(i)),
              null,
              part(cells, cells.valueFrom(i), cells.valueLength(i)),
              cells.timestamp(i)));
    }
    assertEquals(all.get(all.size() - 1), cells.last());
    return all;
  }

  private static byte[] part(PlainCells cells, int from, int length) {
    return Arrays.copyOfRange(cells.array(), from, from + length);
  }
}
