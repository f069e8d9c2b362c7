package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rows of a file come in the order of their hashes, in bounded memory. */
final class SortedRowsTest {

  private static final int MANY = 600_000;

  @Test
  void rowsOfSeveralPassesComeOnceEachAndInOrder() throws IOException {
    RandomSource random = new SeededRandom(11);
    try (RowIndexSpool spool = new RowIndexSpool(new SimFileSystem(), "spool")) {
      for (int i = 0; i < MANY; i++) {
        spool.add(random.nextLong(), random.nextLong(), i);
      }
      boolean[] seen = new boolean[MANY];
      long[] last = {0};
      assertTrue(
          spool.forEachSorted(
              (high, low, position) -> {
                assertTrue(Long.compareUnsigned(last[0], high) <= 0);
                last[0] = high;
                assertFalse(seen[(int) position]);
                seen[(int) position] = true;
                return true;
              }));
      for (boolean one : seen) {
        assertTrue(one);
      }
      assertEquals(Long.highestOneBit(MANY) * 2 - 1, spool.positionBits());
    }
  }

  @Test
  void theTemporaryFileIsReadOnceAndNotOnceForEachPartThatIsSorted() throws IOException {
    RandomSource random = new SeededRandom(12);
    long[] read = {0};
    SimFileSystem files = new SimFileSystem();
    try (RowIndexSpool spool = new RowIndexSpool(counting(files, read), "spool")) {
      for (int i = 0; i < MANY; i++) {
        spool.add(random.nextLong(), random.nextLong(), i);
      }
      assertTrue(spool.forEachSorted((high, low, position) -> true));
      long size;
      try (FileSystem.ReadableFile file = files.open("spool")) {
        size = file.size();
      }
      assertTrue(read[0] >= size, read[0] + " bytes of " + size);
      assertTrue(read[0] < size * 3 / 2, read[0] + " bytes of " + size);
    }
  }

  @Test
  void aTemporaryFileThatChangedIsNoticed() throws IOException {
    RandomSource random = new SeededRandom(13);
    SimFileSystem files = new SimFileSystem();
    try (RowIndexSpool spool = new RowIndexSpool(files, "spool")) {
      for (int i = 0; i < MANY; i++) {
        spool.add(random.nextLong(), random.nextLong(), i);
      }
      files.flipBit("spool", 8L * (24 * 40_000 + 20));
      assertThrows(
          CorruptFileException.class, () -> spool.forEachSorted((high, low, position) -> true));
    }
  }

  private static FileSystem counting(FileSystem files, long[] read) {
    return proxy(
        FileSystem.class,
        files,
        (name, arguments, result) ->
            name.equals("open")
                ? proxy(
                    FileSystem.ReadableFile.class,
                    (FileSystem.ReadableFile) result,
                    (of, given, none) -> {
                      if (of.equals("read")) {
                        read[0] += ((ByteBuffer) given[1]).position();
                      }
                      return none;
                    })
                : result);
  }

  private interface After {
    Object result(String method, Object[] arguments, Object result);
  }

  private static <T> T proxy(Class<T> type, T target, After after) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return after.result(method.getName(), arguments, method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void rowsWithTheSameFirstBitsAreOrderedByTheRest() throws IOException {
    SortedRows rows = new SortedRows(4);
    rows.add(5, -1, 4);
    rows.add(5, 1, 3);
    rows.add(-1, 0, 5);
    rows.add(4, 9, 2);
    rows.add(0, 0, 1);
    List<Long> order = new ArrayList<>();
    assertTrue(rows.forEachSorted((high, low, position) -> order.add(position)));
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L), order);
  }

  @Test
  void hashesThatAreAllAlikeAreGivenUp() throws IOException {
    try (RowIndexSpool spool = new RowIndexSpool(new SimFileSystem(), "spool")) {
      for (int i = 0; i < MANY; i++) {
        spool.add(7, i, i);
      }
      assertFalse(spool.forEachSorted((high, low, position) -> true));
    }
  }

  @Test
  void manyHashesThatBeginAlikeAreGivenUpInTime() throws IOException {
    SortedRows rows = new SortedRows(100_000);
    for (int i = 0; i < 100_000; i++) {
      rows.add(7, -i, i);
    }
    assertFalse(rows.forEachSorted((high, low, position) -> true));
  }

  @Test
  void theConsumerEndsIt() throws IOException {
    try (RowIndexSpool spool = new RowIndexSpool(new SimFileSystem(), "spool")) {
      for (int i = 0; i < 10; i++) {
        spool.add(i, i, i);
      }
      assertFalse(spool.forEachSorted((high, low, position) -> position < 5));
    }
  }
}
