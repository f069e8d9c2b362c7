package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.env.KeyIndexes.KeyIndex;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.sim.KeyIndexesContract;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import net.openhft.chronicle.hash.VanillaGlobalMutableState;
import net.openhft.chronicle.values.Values;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The contract of key indexes, and what data files rely on beyond it, on Chronicle Maps. */
final class ChronicleKeyIndexesTest extends KeyIndexesContract {
  private static final int GOLDEN_ROWS = 100;
  private static final long GOLDEN_BITS = 0xFF_FFFF_FFFFL | (3L << 44);

  @TempDir Path directory;

  @Override
  protected KeyIndexes emptyKeyIndexes() throws IOException {
    return new ChronicleKeyIndexes(OsFileSystem.open(directory));
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void onlyTheNodesUserReadsAMapFromItsFirstMoment() throws IOException {
    KeyIndexes indexes = emptyKeyIndexes();
    String ownersOnly = "rw-------";
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("map", 1, 1)) {
      assertEquals(ownersOnly, mode("map"), "while it is filled");
      builder.put(1, 1, 1);
      builder.finish();
    }
    assertEquals(ownersOnly, mode("map"));
    try (KeyIndex index = indexes.open("map", 1)) {
      assertEquals(1, index.find(1, 1));
      assertEquals(ownersOnly, mode("map"), "while it is read");
    }
  }

  private String mode(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name)));
  }

  @Test
  void anyNumberOfEntriesFitsAMapMadeForExactlyThatMany() throws IOException {
    KeyIndexes indexes = emptyKeyIndexes();
    for (int entries : new int[] {1, 2, 3, 17, 64, 257, 1_000, 4_097, 20_000}) {
      String name = "map" + entries;
      long[] hashes = hashes(entries);
      try (KeyIndexes.KeyIndexBuilder builder = indexes.create(name, entries, 0xFFFF)) {
        for (int i = 0; i < entries; i++) {
          assertTrue(builder.put(hashes[i], ~hashes[i], i));
        }
        builder.finish();
      }
      try (KeyIndex index = indexes.open(name, entries)) {
        for (int i = 0; i < entries; i++) {
          assertEquals(i, index.find(hashes[i], ~hashes[i]));
        }
      }
    }
  }

  /** Different hashes in ascending order, as unsigned numbers. */
  private static long[] hashes(int count) {
    RandomSource random = new SeededRandom(3);
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = random.nextLong() ^ Long.MIN_VALUE;
    }
    Arrays.sort(hashes);
    for (int i = 0; i < count; i++) {
      hashes[i] ^= Long.MIN_VALUE;
    }
    return hashes;
  }

  @Test
  void aRowOfALargeFileTakesAtMostTwelveAndAHalfBytes() throws IOException {
    int rows = 500_000;
    long[] hashes = hashes(rows);
    KeyIndexes indexes = emptyKeyIndexes();
    // Positions in a file of 1 GiB, with the length of a block.
    long positionBits = ((1L << 30) - 1) | (3L << 44);
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("map", rows, positionBits)) {
      for (int i = 0; i < rows; i++) {
        assertTrue(builder.put(hashes[i], ~hashes[i], (i * 2_000L) | (2L << 44)));
      }
      builder.finish();
    }
    double bytes = (double) Files.size(directory.resolve("map")) / rows;
    assertTrue(bytes <= 12.5, bytes + " bytes a row");
    try (KeyIndex index = indexes.open("map", rows)) {
      for (int i = 0; i < rows; i++) {
        assertEquals((i * 2_000L) | (2L << 44), index.find(hashes[i], ~hashes[i]));
      }
    }
  }

  @Test
  void hashesOutOfOrderAreRefused() throws IOException {
    try (KeyIndexes.KeyIndexBuilder builder = emptyKeyIndexes().create("map", 1_000, 1)) {
      assertTrue(builder.put(-1, 0, 1));
      assertThrows(IllegalArgumentException.class, () -> builder.put(0, 0, 1));
    }
  }

  @Test
  void aHashThatCannotBeToldFromAnotherOneIsReported() throws IOException {
    try (KeyIndexes.KeyIndexBuilder builder = emptyKeyIndexes().create("map", 1_000, 1)) {
      assertTrue(builder.put(0, 5, 1));
      assertFalse(builder.put(1, 5 | (1L << 40), 1));
    }
  }

  @Test
  void warmingUpLeavesNothingBehindAlsoAfterAnInterruptedOne() throws IOException {
    Files.writeString(directory.resolve("key-index-warm-up"), "half of a map");
    emptyKeyIndexes().warmUp();
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void theClassOfAMapsStateIsPartOfTheNodeAndNotCompiledByIt() {
    Class<?> state = Values.nativeClassFor(VanillaGlobalMutableState.class);
    assertEquals(
        ChronicleKeyIndexes.class.getProtectionDomain().getCodeSource().getLocation(),
        state.getProtectionDomain().getCodeSource().getLocation());
  }

  /**
   * In a page that is shared with the file a lookup would wait for a disk that hangs, and the Java
   * machine with it: see {@link PrivatePages}.
   */
  @Test
  @EnabledOnOs(OS.LINUX)
  void lookupsWriteToPrivatePagesOnly() throws IOException {
    KeyIndexes indexes = emptyKeyIndexes();
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("map", 1_000, 0x3FF)) {
      assertEquals("rw-p", firstMapping("map"));
      for (int i = 0; i < 1_000; i++) {
        builder.put(i, i, i);
      }
      builder.finish();
    }
    try (KeyIndex index = indexes.open("map", 1_000)) {
      assertEquals("rw-p", firstMapping("map"));
      assertEquals(7, index.find(7, 7));
    }
  }

  @Test
  void aMapWithAnEntryForEachRowIsRead() throws IOException {
    Files.write(directory.resolve("old"), golden("key-index-v1"));
    try (KeyIndex index = emptyKeyIndexes().open("old", 3)) {
      assertEquals(200, index.find(2, 20));
      assertEquals(-1, index.find(2, 21));
    }
  }

  @Test
  void aMapOfBucketsIsReadAndANewOneHasItsNames() throws IOException {
    KeyIndexes indexes = emptyKeyIndexes();
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("new", GOLDEN_ROWS, GOLDEN_BITS)) {
      for (int i = 0; i < GOLDEN_ROWS; i++) {
        assertTrue(builder.put((long) i << 57, i, goldenPosition(i)));
      }
      builder.finish();
    }
    byte[] golden = golden("key-index-v2");
    Files.write(directory.resolve("old"), golden);
    try (KeyIndex index = indexes.open("old", GOLDEN_ROWS)) {
      for (int i = 0; i < GOLDEN_ROWS; i++) {
        assertEquals(goldenPosition(i), index.find((long) i << 57, i));
      }
      assertEquals(-1, index.find(0, GOLDEN_ROWS));
    }
    assertEquals(namesIn(golden), namesIn(Files.readAllBytes(directory.resolve("new"))));
  }

  /** Offsets beyond 4 GiB, and lengths of frames. */
  private static long goldenPosition(int row) {
    return row * 0x0123_4567L + (3L << 44);
  }

  private static byte[] golden(String name) throws IOException {
    byte[] packed =
        HexFormat.of()
            .parseHex(
                Files.readString(Path.of("src/test/resources/golden/" + name + ".gz.hex"))
                    .replaceAll("\\s", ""));
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      return in.readAllBytes();
    }
  }

  /** The class names in the header of a map. */
  private static Set<String> namesIn(byte[] map) {
    Matcher names =
        Pattern.compile("!(?:type )?([\\w.$]+)")
            .matcher(new String(map, 0, 4_096, StandardCharsets.ISO_8859_1));
    return names
        .results()
        .map(name -> name.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The permissions of the first pages of a file, as Linux shows them. */
  private String firstMapping(String name) throws IOException {
    String file = directory.toRealPath().resolve(name).toString();
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.endsWith(file))
        .map(line -> line.split(" +"))
        .filter(words -> Long.parseLong(words[2], 16) == 0)
        .map(words -> words[1])
        .findFirst()
        .orElseThrow();
  }

  @Test
  void readingLeavesTheBytesOfTheFileAlone() throws IOException {
    KeyIndexes indexes = emptyKeyIndexes();
    long[] hashes = hashes(2_000);
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("map", 1_000, 0x3FF)) {
      for (int i = 0; i < 1_000; i++) {
        builder.put(hashes[i], i, i);
      }
      builder.finish();
    }
    byte[] before = Files.readAllBytes(directory.resolve("map"));
    try (KeyIndex index = indexes.open("map", 1_000)) {
      for (int i = 0; i < 2_000; i++) {
        assertEquals(i < 1_000 ? i : -1, index.find(hashes[i], i));
      }
    }
    assertArrayEquals(before, Files.readAllBytes(directory.resolve("map")));
  }
}
