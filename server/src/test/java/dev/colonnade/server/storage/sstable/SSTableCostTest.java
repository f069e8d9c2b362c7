package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What reads cost, in blocks. */
final class SSTableCostTest {
  private static final int CELLS = 1_000_000;
  private static final RowKey WIDE = TestRows.key("wide");
  private static final SimFileSystem FILES = new SimFileSystem();
  private static final TreeSet<RowKey> NARROW = new TreeSet<>();

  /** A super column of a million columns, among narrow rows. */
  @BeforeAll
  static void writeTheFile() throws IOException {
    for (int i = 0; i < 2_000; i++) {
      NARROW.add(TestRows.key("narrow" + i));
    }
    TreeSet<RowKey> keys = new TreeSet<>(NARROW);
    keys.add(WIDE);
    FILES.createDirectories("f");
    try (SSTableWriter writer = SSTableWriter.create(resources(), identity())) {
      for (RowKey key : keys) {
        writer.startRow(key, DeletionTime.NONE);
        for (int i = 0; i < (key.equals(WIDE) ? CELLS : 10); i++) {
          writer.add(Cell.live(new byte[] {1}, name(i), new byte[] {1, 2, 3, 4}, 1_000_000 + i));
        }
        writer.endRow();
      }
      writer.finish().release();
    }
  }

  @Test
  void aSliceOfTenReadsAFewBlocksWhereverItLies() throws IOException {
    for (int from : new int[] {0, 1, 499_995, 777_777, CELLS - 10}) {
      for (boolean reversed : new boolean[] {false, true}) {
        PathRange range =
            new PathRange(
                Bound.before(new byte[] {1}, name(from)),
                Bound.after(new byte[] {1}, name(from + 9)));
        // Cold: index blocks, the row's first block by the key index, and one or two of data.
        ReadFigures figures = read(range, reversed, 10, from, reversed ? 9 : 0);
        assertTrue(figures.blocksFromDisk() <= 6, () -> from + ": " + figures);
        assertTrue(figures.bytesRead() <= 6 * (20 << 10), () -> from + ": " + figures);
      }
    }
  }

  @Test
  void theFirstAndTheLastTenOfTheWholeRowReadAFewBlocks() throws IOException {
    assertTrue(read(PathRange.ALL, false, 10, 0, 0).blocksFromDisk() <= 2);
    assertTrue(read(PathRange.ALL, true, 10, CELLS - 10, 9).blocksFromDisk() <= 6);
  }

  @Test
  void oneSubcolumnOutOfAMillionReadsAFewBlocks() throws IOException {
    ReadFigures figures = read(PathRange.of(new byte[] {1}, name(654_321)), false, 1, 654_321, 0);
    assertTrue(figures.blocksFromDisk() <= 5, figures::toString);
  }

  @Test
  void walkingTheKeysPassesOverTheWideRow() throws IOException {
    SSTable table = SSTable.open(resources(), identity());
    ReadContext context = ReadContext.blocking();
    RowKeyCursor cursor = table.keys(table.firstKey(), context);
    int rows = 0;
    while (cursor.next() != null) {
      rows++;
    }
    assertEquals(2_001, rows);
    // Two thousand rows of ten cells fill some forty blocks; the million would fill a thousand
    // more.
    assertTrue(context.figures().blocksFromDisk() < 80, context.figures()::toString);
  }

  @Test
  void aCachedRowIsReadWithoutTheDiskAndAnUncachedOneIsNotReadByThoseWhoMustNotBlock()
      throws IOException {
    SSTable table = SSTable.open(resources(), identity());
    RowKey key = NARROW.first();
    assertThrows(
        NotCachedException.class,
        () -> table.row(key, PathRange.ALL, false, ReadContext.cachedOnly()));
    assertNotNull(table.row(key, PathRange.ALL, false, ReadContext.blocking()));
    ReadContext cached = ReadContext.cachedOnly();
    AtomCursor cursor = table.row(key, PathRange.ALL, false, cached);
    assertNotNull(cursor);
    assertEquals(12, TestFiles.drain(cursor).size());
    assertEquals(0, cached.figures().blocksFromDisk());
    assertEquals(1, cached.figures().blockCacheHits());
    assertEquals(1, cached.figures().keyCacheHits());
  }

  @Test
  void whatTheSystemHasInMemoryIsReadByThoseWhoMustNotBlockToo() throws IOException {
    FILES.keepPages(true);
    try {
      SSTable table = SSTable.open(resources(), identity());
      RowKey key = NARROW.first();
      ReadContext first = ReadContext.cachedOnly();
      AtomCursor cursor = table.row(key, PathRange.ALL, false, first);
      assertNotNull(cursor);
      assertEquals(12, TestFiles.drain(cursor).size());
      assertTrue(first.figures().blocksFromDisk() > 0, first.figures()::toString);
      ReadContext second = ReadContext.cachedOnly();
      assertNotNull(table.row(key, PathRange.ALL, false, second));
      assertEquals(0, second.figures().blocksFromDisk(), "the block cache has them now");
      table.release();
    } finally {
      FILES.keepPages(false);
    }
  }

  @Test
  void aBlockThatIsDamagedInMemoryIsJudgedByThoseWhoMayReadItFromTheDisk() throws IOException {
    SimFileSystem damaged = FILES.copy();
    damaged.keepPages(true);
    SSTable table = SSTable.open(TestFiles.resources(damaged, SSTableSettings.DEFAULT), identity());
    damaged.flipBit(identity().path(Component.DATA), 8 * 500);
    RowKey key = table.firstKey();
    assertThrows(
        NotCachedException.class,
        () -> table.row(key, PathRange.ALL, false, ReadContext.cachedOnly()));
    assertThrows(
        CorruptFileException.class,
        () -> table.row(key, PathRange.ALL, false, ReadContext.blocking()));
    table.release();
  }

  @Test
  void absentKeysTouchTheFileInLessThanOneCaseOfAHundred() throws IOException {
    SSTable table = SSTable.open(resources(), identity());
    ReadContext context = ReadContext.blocking();
    for (int i = 0; i < 20_000; i++) {
      assertNull(table.row(TestRows.key("absent" + i), PathRange.ALL, false, context));
    }
    assertTrue(context.figures().sstablesTouched() < 200, context.figures()::toString);
    assertTrue(context.figures().bloomRejections() > 19_000, context.figures()::toString);
  }

  private static ReadFigures read(
      PathRange range, boolean reversed, int count, int lowest, int firstOffset)
      throws IOException {
    SSTable table = SSTable.open(resources(), identity());
    table.openKeyIndex();
    ReadContext context = ReadContext.blocking();
    AtomCursor cursor = table.row(WIDE, range, reversed, context);
    assertNotNull(cursor);
    for (int i = 0; i < count; i++) {
      Atom atom = cursor.next();
      assertNotNull(atom);
      byte[] sub = atom.sub();
      assertNotNull(sub);
      int expected = lowest + firstOffset + (reversed ? -i : i);
      assertEquals(expected, ByteBuffer.wrap(sub).getInt());
    }
    table.release();
    return context.figures();
  }

  private static byte[] name(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private static SSTableIdentity identity() {
    return TestFiles.identity(1, TestRows.SUPER);
  }

  /** New caches each time, so that each test begins cold. */
  private static SSTableResources resources() {
    return TestFiles.resources(FILES, SSTableSettings.DEFAULT);
  }
}
