package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The contract of key indexes, and what data files rely on beyond it, on Chronicle Maps. */
final class ChronicleKeyIndexesTest extends KeyIndexesContract {
  @TempDir Path directory;

  @Override
  protected KeyIndexes emptyKeyIndexes() throws IOException {
    return new ChronicleKeyIndexes(OsFileSystem.open(directory));
  }

  @Test
  void anyNumberOfEntriesFitsAMapMadeForExactlyThatMany() throws IOException {
    KeyIndexes indexes = emptyKeyIndexes();
    RandomSource random = new SeededRandom(3);
    for (int entries : new int[] {1, 2, 3, 17, 64, 257, 1_000, 4_097, 20_000}) {
      String name = "map" + entries;
      try (KeyIndexes.KeyIndexBuilder builder = indexes.create(name, entries)) {
        for (int i = 0; i < entries; i++) {
          assertTrue(builder.put(random.nextLong(), random.nextLong(), i));
        }
        builder.finish();
      }
      try (KeyIndex index = indexes.open(name, entries)) {
        assertEquals(entries, index.entries());
      }
    }
  }

  /**
   * In a page that is shared with the file a lookup would wait for a disk that hangs, and the Java
   * machine with it: see {@link PrivatePages}.
   */
  @Test
  @EnabledOnOs(OS.LINUX)
  void lookupsWriteToPrivatePagesOnly() throws IOException {
    KeyIndexes indexes = emptyKeyIndexes();
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("map", 1_000)) {
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
  void aMapOfTheFirstReleaseIsReadAndANewOneHasTheSameNames() throws IOException {
    byte[] packed =
        HexFormat.of()
            .parseHex(
                Files.readString(Path.of("src/test/resources/golden/key-index-v1.gz.hex"))
                    .replaceAll("\\s", ""));
    byte[] golden;
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      golden = in.readAllBytes();
    }
    Files.write(directory.resolve("old"), golden);
    KeyIndexes indexes = emptyKeyIndexes();
    try (KeyIndex index = indexes.open("old", 3)) {
      assertEquals(200, index.find(2, 20));
    }
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("new", 3)) {
      builder.put(2, 20, 200);
      builder.finish();
    }
    assertEquals(namesIn(golden), namesIn(Files.readAllBytes(directory.resolve("new"))));
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
    try (KeyIndexes.KeyIndexBuilder builder = indexes.create("map", 1_000)) {
      for (int i = 0; i < 1_000; i++) {
        builder.put(i * 0x9E3779B97F4A7C15L, i, i);
      }
      builder.finish();
    }
    byte[] before = Files.readAllBytes(directory.resolve("map"));
    try (KeyIndex index = indexes.open("map", 1_000)) {
      for (int i = 0; i < 2_000; i++) {
        assertEquals(i < 1_000 ? i : -1, index.find(i * 0x9E3779B97F4A7C15L, i));
      }
    }
    assertArrayEquals(before, Files.readAllBytes(directory.resolve("map")));
  }
}
