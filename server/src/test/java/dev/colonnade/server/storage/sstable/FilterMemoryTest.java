package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import dev.colonnade.server.storage.cache.BlockCache;
import dev.colonnade.server.storage.cache.KeyCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The filters of all files stay within one bound; files beyond it are read without. */
final class FilterMemoryTest {

  private static final int ROWS = 1_000;

  private final SimFileSystem files = new SimFileSystem();

  private SSTableResources resources(FilterMemory filters) {
    return new SSTableResources(
        files,
        new SortedArrayKeyIndexes(files),
        new BlockCache(1 << 20),
        new KeyCache(100),
        filters,
        TestFiles.smallBlocks(),
        Runnable::run);
  }

  private static SSTable write(SSTableResources resources, long generation) throws IOException {
    resources.files().createDirectories("f");
    try (SSTableWriter writer =
        SSTableWriter.create(resources, TestFiles.identity(generation, TestRows.STANDARD))) {
      TreeSet<RowKey> keys = new TreeSet<>();
      for (int i = 0; i < ROWS; i++) {
        keys.add(TestRows.key("row" + i));
      }
      for (RowKey key : keys) {
        writer.startRow(key, DeletionTime.NONE);
        writer.add(Cell.live(new byte[] {1}, null, new byte[] {2}, 1));
        writer.endRow();
      }
      return writer.finish();
    }
  }

  @Test
  void filesBeyondTheBoundAreOpenWithoutAFilterAndGiveTheHeapBack() throws IOException {
    FilterMemory filters = new FilterMemory(3_200);
    SSTableResources resources = resources(filters);
    List<SSTable> tables = new ArrayList<>();
    for (int generation = 1; generation <= 4; generation++) {
      tables.add(write(resources, generation));
    }
    long one = filters.heldBytes() / 2;
    assertTrue(one > ROWS && one <= 1_600, one + " bytes for a filter of " + ROWS + " rows");
    assertEquals(2, filters.filesWithout());

    RowKey absent = TestRows.key("absent");
    assertTrue(!KeyExtent.of(tables.get(0)).mightHold(absent));
    for (SSTable table : tables) {
      for (int i = 0; i < ROWS; i++) {
        assertTrue(KeyExtent.of(table).mightHold(TestRows.key("row" + i)), "a row is not found");
      }
    }

    tables.forEach(SSTable::release);
    assertEquals(0, filters.heldBytes());
    assertEquals(0, filters.filesWithout());
    SSTable again = SSTable.open(resources, TestFiles.identity(4, TestRows.STANDARD));
    assertEquals(one, filters.heldBytes());
    again.release();
  }
}
