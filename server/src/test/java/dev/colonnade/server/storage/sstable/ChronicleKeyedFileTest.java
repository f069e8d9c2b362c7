package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.node.platform.ChronicleKeyIndexes;
import dev.colonnade.server.node.platform.OsFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.NavigableMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data file on a real disk with a Chronicle Map as its key index. */
final class ChronicleKeyedFileTest {
  private static final SSTableIdentity IDENTITY = TestFiles.identity(1, TestRows.STANDARD);

  @TempDir Path directory;

  @Test
  void itsKeyIndexIsReopenedAsItIsAndRebuiltWhenDamaged() throws IOException {
    TestRows source = new TestRows(21, TestRows.STANDARD);
    NavigableMap<RowKey, RowState> rows = source.rows(300);
    SSTable written = TestFiles.write(resources(), IDENTITY, rows);
    assertTrue(written.hasKeyIndex());
    SSTableRoundTripTest.sameRows(written, rows, source, "written");
    written.release();
    Path keys = directory.resolve(IDENTITY.path(Component.KEYS));
    Object identity = Files.readAttributes(keys, BasicFileAttributes.class).fileKey();

    SSTable reopened = SSTable.open(resources(), IDENTITY);
    assertFalse(reopened.hasKeyIndex());
    reopened.openKeyIndex();
    SSTableRoundTripTest.sameRows(reopened, rows, source, "reopened");
    reopened.release();
    assertEquals(
        identity,
        Files.readAttributes(keys, BasicFileAttributes.class).fileKey(),
        "it was rebuilt for no reason");

    byte[] bytes = Files.readAllBytes(keys);
    bytes[bytes.length / 2] ^= 4;
    Files.write(keys, bytes);
    SSTable damaged = SSTable.open(resources(), IDENTITY);
    damaged.openKeyIndex();
    assertTrue(damaged.hasKeyIndex());
    SSTableRoundTripTest.sameRows(damaged, rows, source, "rebuilt");
    damaged.markObsolete();
    damaged.release();
    try (var left = Files.list(directory.resolve("f"))) {
      assertEquals(0, left.count());
    }
  }

  private SSTableResources resources() throws IOException {
    OsFileSystem files = OsFileSystem.open(directory);
    return TestFiles.resources(files, new ChronicleKeyIndexes(files), TestFiles.smallBlocks());
  }
}
