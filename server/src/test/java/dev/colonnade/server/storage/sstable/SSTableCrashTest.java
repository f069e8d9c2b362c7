package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A file is there whole or not at all, and lives as long as it is used. */
final class SSTableCrashTest {
  private static final SSTableIdentity IDENTITY = TestFiles.identity(9, TestRows.STANDARD);

  private final TestRows source = new TestRows(12, TestRows.STANDARD);
  private final NavigableMap<RowKey, RowState> rows = source.rows(20);

  @Test
  void aCrashAfterAnyOperationLeavesTheWholeFileOrOneThatIsNotHandedOver() throws IOException {
    SimFileSystem once = new SimFileSystem();
    write(once);
    long operations = once.operations();
    assertTrue(operations > 10);
    for (long stop = 0; stop <= operations; stop++) {
      SimFileSystem files = new SimFileSystem();
      files.createDirectories("f");
      files.syncDirectory("");
      files.stopAfter(stop);
      boolean handedOver = false;
      try {
        write(files);
        handedOver = true;
      } catch (IOException powerLost) {
        // Looked at below.
      }
      SimFileSystem reborn = files.crashClone(new SeededRandom(stop));
      if (handedOver) {
        opensWhole(reborn, "after operation " + stop);
      } else {
        namesTellTheGeneration(reborn);
        // The same generation can be written again over whatever is left.
        for (String name : reborn.list("f")) {
          reborn.delete("f/" + name);
        }
        write(reborn);
      }
    }
  }

  @Test
  void derivedFilesThatTheCrashTookAreRebuilt() throws IOException {
    SimFileSystem files = new SimFileSystem();
    write(files);
    files.delete(IDENTITY.path(Component.INDEX));
    files.delete(IDENTITY.path(Component.KEYS));
    long before = files.operations();
    SSTable.open(resources(files), IDENTITY).release();
    long rebuild = files.operations() - before;
    for (long stop = 1; stop < rebuild; stop++) {
      SimFileSystem again = new SimFileSystem();
      write(again);
      again.delete(IDENTITY.path(Component.INDEX));
      again.delete(IDENTITY.path(Component.KEYS));
      again.stopAfter(again.operations() + stop);
      try {
        SSTable.open(resources(again), IDENTITY).release();
      } catch (IOException powerLost) {
        // Looked at below.
      }
      opensWhole(again.crashClone(new SeededRandom(stop)), "rebuild, after operation " + stop);
    }
  }

  @Test
  void anAbandonedFileLeavesNothing() throws IOException {
    SimFileSystem files = new SimFileSystem();
    files.createDirectories("f");
    try (SSTableWriter writer = SSTableWriter.create(resources(files), IDENTITY)) {
      writer.startRow(rows.firstKey(), source.deletion());
      writer.endRow();
      assertFalse(files.list("f").isEmpty());
    }
    assertEquals(0, files.list("f").size());
  }

  @Test
  void anObsoleteFileIsReadableUntilItsLastReferenceGoes() throws IOException {
    SimFileSystem files = new SimFileSystem();
    SSTable table = write(files);
    assertTrue(table.retain());
    table.markObsolete();
    table.release();
    SSTableRoundTripTest.sameRows(table, rows, source, "obsolete");
    SSTableScan scan = table.scan();
    table.release();
    assertEquals(rows.firstKey(), scan.nextRow());
    assertTrue(files.exists(IDENTITY.path(Component.DATA)));
    scan.close();
    assertEquals(0, files.list("f").size());
    assertFalse(table.retain());
  }

  private static void namesTellTheGeneration(SimFileSystem files) throws IOException {
    for (String name : files.list("f")) {
      assertEquals(OptionalLong.of(9), SSTableIdentity.generationOf(name), name);
    }
  }

  private void opensWhole(SimFileSystem files, String where) throws IOException {
    SSTable table = SSTable.open(resources(files), IDENTITY);
    table.openKeyIndex();
    table.verify();
    RowKey key = rows.lastKey();
    RowState expected = Objects.requireNonNull(rows.get(key));
    var found = table.row(key, PathRange.ALL, false, ReadContext.blocking());
    assertEquals(
        TestFiles.drain(expected.cursor(PathRange.ALL, false, TestRows.STANDARD)),
        TestFiles.drain(Objects.requireNonNull(found, where)));
    try (ReadableFile data = files.open(IDENTITY.path(Component.DATA))) {
      assertEquals(table.stats().dataBytes(), data.size(), where);
    }
  }

  private SSTable write(SimFileSystem files) throws IOException {
    SSTable table = TestFiles.write(resources(files), IDENTITY, rows);
    files.syncDirectory("");
    return table;
  }

  private static SSTableResources resources(SimFileSystem files) {
    return TestFiles.resources(files, TestFiles.smallBlocks());
  }
}
