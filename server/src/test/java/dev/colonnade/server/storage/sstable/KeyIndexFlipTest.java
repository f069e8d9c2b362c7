package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.node.platform.ChronicleKeyIndexes;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.Figures;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Chronicle Map believes the file that it maps, so ours must be found out before it is opened.
 */
final class KeyIndexFlipTest {
  private static final SSTableIdentity IDENTITY = TestFiles.identity(1, TestRows.STANDARD);
  private static final int FLIPS = Integer.getInteger("colonnade.keyindex.flips", 1_500);

  /** Flips after which everything is really rebuilt and read. */
  private static final int REBUILDS = Integer.getInteger("colonnade.keyindex.rebuilds", 6);

  @TempDir Path directory;

  private final TestRows source = new TestRows(21, TestRows.STANDARD);
  private final NavigableMap<RowKey, RowState> rows = source.rows(300);

  /** Says that a map is about to be built, and builds none. */
  private static final class RebuildBegins extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Never opens a map, and stops those who build one. */
  private static final class Untouched implements KeyIndexes {
    @Override
    public KeyIndexBuilder create(String path, long entries, long positionBits) throws IOException {
      throw new RebuildBegins();
    }

    @Override
    public KeyIndex open(String path, long entries) {
      throw new AssertionError("a damaged map was opened");
    }
  }

  @Test
  void aFlippedBitIsFoundBeforeTheMapIsOpened() throws IOException {
    FileSystem real = OsFileSystem.open(directory);
    TestFiles.write(onDisk(real), IDENTITY, rows).release();
    SimFileSystem copy = new SimFileSystem();
    copy.createDirectories("f");
    for (Component component : Component.values()) {
      if (real.exists(IDENTITY.path(component))) {
        copy.overwrite(IDENTITY.path(component), content(real, component));
      }
    }
    String path = IDENTITY.path(Component.KEYS);
    byte[] sound = copy.content(path);
    SSTable table =
        SSTable.open(TestFiles.resources(copy, new Untouched(), TestFiles.smallBlocks()), IDENTITY);
    RandomSource random = new SeededRandom(7);
    for (int i = 0; i < FLIPS; i++) {
      long bit = Math.floorMod(random.nextLong(), 8L * sound.length);
      copy.flipBit(path, bit);
      assertThrows(RebuildBegins.class, table::openKeyIndex, "bit " + bit);
      assertTrue(!copy.exists(path), "bit " + bit + " is still there");
      copy.overwrite(path, sound);
    }
    table.release();
    Figures.write("bits of a key index", Map.of("flipped", FLIPS));
  }

  @Test
  void afterARebuildTheAnswersAreTheSame() throws IOException {
    OsFileSystem real = OsFileSystem.open(directory);
    TestFiles.write(onDisk(real), IDENTITY, rows).release();
    RandomSource random = new SeededRandom(8);
    Path file = directory.resolve(IDENTITY.path(Component.KEYS));
    for (int i = 0; i < REBUILDS; i++) {
      byte[] content = content(real, Component.KEYS);
      content[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
      java.nio.file.Files.write(file, content);
      SSTable table = SSTable.open(onDisk(real), IDENTITY);
      table.openKeyIndex();
      assertTrue(table.hasKeyIndex());
      SSTableRoundTripTest.sameRows(table, rows, source, "flip " + i);
      table.release();
    }
    assertEquals(300, rows.size());
  }

  private static SSTableResources onDisk(FileSystem files) {
    return TestFiles.resources(
        files, new ChronicleKeyIndexes((OsFileSystem) files), TestFiles.smallBlocks());
  }

  private static byte[] content(FileSystem files, Component component) throws IOException {
    try (FileSystem.ReadableFile file = files.open(IDENTITY.path(component))) {
      byte[] content = new byte[(int) file.size()];
      file.read(0, java.nio.ByteBuffer.wrap(content));
      return content;
    }
  }
}
