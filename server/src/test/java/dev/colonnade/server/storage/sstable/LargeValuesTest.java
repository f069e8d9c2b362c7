package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.Reconcile;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.storage.mutation.AtomCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A value that nearly fills its block is read in place; such a cell is as good as any other. */
final class LargeValuesTest {

  private static final RowKey ROW = TestRows.key("row");
  private static final byte[] LARGE = new byte[100_000];

  static {
    for (int i = 0; i < LARGE.length; i++) {
      LARGE[i] = (byte) (i * 31 + (i >> 8));
    }
  }

  private final SimFileSystem files = new SimFileSystem();

  @Test
  void aLargeValueIsNotCopied() throws IOException {
    Cell live = Cell.live(name("a"), null, LARGE, 1);
    Cell expiring = Cell.expiring(name("b"), null, LARGE, 2, 100, 20_000);
    Cell small = Cell.live(name("c"), null, name("small"), 3);
    SSTable table = write(7, live, expiring, small);

    List<Cell> read = read(table);

    assertEquals(List.of(live, expiring, small), read);
    for (int i = 0; i < 2; i++) {
      assertTrue(read.get(i).valueArray().length > LARGE.length, "the block, not a copy");
      assertSame(read.get(i).valueArray(), read(table).get(i).valueArray());
      assertArrayEquals(LARGE, read.get(i).value());
    }
    assertEquals(name("small").length, read.get(2).valueArray().length, "a small one is copied");
  }

  @Test
  void aValueAmongOthersHoldsNoBlockInMemory() throws IOException {
    byte[] half = Arrays.copyOf(LARGE, 600);
    SSTable table =
        write(
            7,
            Cell.live(name("a"), null, half, 1),
            Cell.live(name("b"), null, Arrays.copyOf(LARGE, 300), 1));

    for (Cell cell : read(table)) {
      assertEquals(cell.valueLength(), cell.valueArray().length);
    }
  }

  @Test
  void suchACellIsComparedEncodedAndWrittenAgain() throws IOException {
    byte[] greater = LARGE.clone();
    greater[LARGE.length - 1]++;
    Cell own = Cell.live(name("a"), null, LARGE, 1);
    Cell above = Cell.live(name("a"), null, greater, 1);
    Cell embedded = read(write(7, own)).get(0);

    assertEquals(own, embedded);
    assertEquals(embedded, own);
    assertEquals(own.hashCode(), embedded.hashCode());
    assertEquals(own.toString(), embedded.toString());
    assertEquals(own.payloadBytes(), embedded.payloadBytes());
    assertNotEquals(above, embedded);
    assertEquals(0, Reconcile.compare(own, embedded));
    assertSame(above, Reconcile.pick(embedded, above));
    assertArrayEquals(encoded(own), encoded(embedded));
    assertEquals(own, AtomCodec.readCell(new ByteReader(encoded(embedded)), null));
    assertEquals(List.of(own), read(write(8, embedded)));
  }

  private SSTable write(long generation, Cell... cells) throws IOException {
    RowUpdate.Builder update = RowUpdate.builder(TestRows.STANDARD);
    List.of(cells).forEach(update::add);
    TreeMap<RowKey, RowState> rows = new TreeMap<>();
    rows.put(ROW, RowState.EMPTY.apply(update.build(), TestRows.STANDARD));
    return TestFiles.write(
        TestFiles.resources(files, TestFiles.smallBlocks()),
        TestFiles.identity(generation, TestRows.STANDARD),
        rows);
  }

  private static List<Cell> read(SSTable table) throws IOException {
    AtomCursor cursor = table.row(ROW, PathRange.ALL, false, ReadContext.blocking());
    assertNotNull(cursor);
    List<Cell> cells = new ArrayList<>();
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      cells.add((Cell) atom);
    }
    return cells;
  }

  private static byte[] encoded(Cell cell) {
    ByteWriter out = new ByteWriter(16);
    AtomCodec.writeCell(cell, false, out);
    return out.toByteArray();
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
