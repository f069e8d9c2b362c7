package dev.colonnade.server.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.KeyIndexes;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The contract, and that the file is a real one. */
final class SortedArrayKeyIndexesTest extends KeyIndexesContract {
  private final SimFileSystem disk = new SimFileSystem();

  @Override
  protected KeyIndexes emptyKeyIndexes() {
    return new SortedArrayKeyIndexes(disk);
  }

  @Test
  void aFinishedMapSurvivesACrashOnceItsNameIsSynced() throws IOException {
    finish();
    assertThrows(
        IOException.class, () -> new SortedArrayKeyIndexes(disk.crashClone()).open("index", 1));
    disk.syncDirectory("");
    assertEquals(3, new SortedArrayKeyIndexes(disk.crashClone()).open("index", 1).find(1, 2));
  }

  @Test
  void damageIsNoticed() throws IOException {
    finish();
    disk.flipBit("index", 70);
    assertThrows(IOException.class, () -> new SortedArrayKeyIndexes(disk).open("index", 1));
  }

  private void finish() throws IOException {
    try (KeyIndexes.KeyIndexBuilder builder =
        new SortedArrayKeyIndexes(disk).create("index", 1, 3)) {
      assertTrue(builder.put(1, 2, 3));
      builder.finish();
    }
  }
}
