package dev.colonnade.server.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileExistsException;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.env.KeyIndexes.KeyIndex;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link KeyIndexes} promises. */
public abstract class KeyIndexesContract {
  private KeyIndexes indexes;

  /** Key indexes whose root is empty. */
  protected abstract KeyIndexes emptyKeyIndexes() throws IOException;

  @BeforeEach
  final void makeKeyIndexes() throws IOException {
    indexes = emptyKeyIndexes();
  }

  @Test
  void findsEveryEntryAndNothingElse() throws IOException {
    int entries = 5_000;
    RandomSource random = new SeededRandom(1);
    long[][] rows = new long[entries][];
    for (int i = 0; i < entries; i++) {
      rows[i] = new long[] {random.nextLong(), random.nextLong(), 10L * i};
    }
    build("index", rows);
    try (KeyIndex index = indexes.open("index", entries)) {
      for (long[] row : rows) {
        assertEquals(row[2], index.find(row[0], row[1]));
        assertEquals(-1, index.find(row[0], row[1] + 1));
        assertEquals(-1, index.find(random.nextLong(), random.nextLong()));
      }
    }
  }

  @Test
  void holdsOneEntryAndTheExtremes() throws IOException {
    build("one", new long[][] {{0, 0, 0}});
    build(
        "extremes",
        new long[][] {
          {Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE}, {-1, -2, 0}, {Long.MAX_VALUE, 0, 1}
        });
    try (KeyIndex one = indexes.open("one", 1);
        KeyIndex extremes = indexes.open("extremes", 3)) {
      assertEquals(0, one.find(0, 0));
      assertEquals(-1, one.find(0, 1));
      assertEquals(Long.MAX_VALUE, extremes.find(Long.MIN_VALUE, Long.MAX_VALUE));
      assertEquals(0, extremes.find(-1, -2));
      assertEquals(1, extremes.find(Long.MAX_VALUE, 0));
      assertEquals(-1, extremes.find(0, 5));
    }
  }

  @Test
  void theSameHashTwiceIsReportedAndTheFirstStays() throws IOException {
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("index", 2, 7)) {
      assertTrue(builder.put(1, 2, 3));
      assertFalse(builder.put(1, 2, 4));
      assertTrue(builder.put(2, 1, 5));
      builder.finish();
    }
    try (KeyIndex index = indexes.open("index", 2)) {
      assertEquals(3, index.find(1, 2));
      assertEquals(5, index.find(2, 1));
    }
  }

  @Test
  void createRefusesANameThatIsTaken() throws IOException {
    build("index", new long[][] {{1, 1, 1}});
    assertThrows(FileExistsException.class, () -> indexes.create("index", 1, 1));
  }

  @Test
  void openRefusesWhatIsNotThere() {
    assertThrows(IOException.class, () -> indexes.open("nothing", 1));
  }

  @Test
  void anAbandonedBuilderReleasesItsFile() throws IOException {
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("index", 3, 1)) {
      assertTrue(builder.put(1, 1, 1));
    }
    build("other", new long[][] {{1, 1, 1}});
    try (KeyIndex other = indexes.open("other", 1)) {
      assertEquals(1, other.find(1, 1));
    }
  }

  @Test
  void refusesNegativePositionsAndEmptyMaps() throws IOException {
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("index", 1, 1)) {
      assertThrows(IllegalArgumentException.class, () -> builder.put(1, 1, -1));
    }
    assertThrows(IllegalArgumentException.class, () -> indexes.create("empty", 0, 1));
    assertThrows(IllegalArgumentException.class, () -> indexes.open("empty", 0));
  }

  @Test
  void pathsThatCouldEscapeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> indexes.create("../index", 1, 1));
    assertThrows(IllegalArgumentException.class, () -> indexes.open("/etc/passwd", 1));
  }

  private void build(String path, long[][] entries) throws IOException {
    long positionBits = 0;
    for (long[] entry : entries) {
      positionBits |= entry[2];
    }
    long[][] sorted = entries.clone();
    Arrays.sort(
        sorted,
        (a, b) ->
            a[0] == b[0] ? Long.compareUnsigned(a[1], b[1]) : Long.compareUnsigned(a[0], b[0]));
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create(path, entries.length, positionBits)) {
      for (long[] entry : sorted) {
        assertTrue(builder.put(entry[0], entry[1], entry[2]));
      }
      builder.finish();
    }
  }
}
