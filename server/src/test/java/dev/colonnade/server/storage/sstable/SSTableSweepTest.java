package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.sim.Damage;
import dev.colonnade.server.sim.Figures;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.FileSettings;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PrimitiveIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every bit of every component of a small data file is flipped, and every component is cut to every
 * length: the rows are the same, or the reader gets an error. Auxiliary components are never
 * missed.
 */
final class SSTableSweepTest {
  private static final SSTableIdentity IDENTITY = TestFiles.identity(1, TestRows.STANDARD);

  private final NavigableMap<RowKey, RowState> rows = new TestRows(9, TestRows.STANDARD).rows(4);
  private final Map<Component, byte[]> sound = new EnumMap<>(Component.class);

  @BeforeEach
  void writeTheFile() throws IOException {
    SimFileSystem files = new SimFileSystem();
    TestFiles.write(resources(files), IDENTITY, rows).release();
    for (Component component : Component.values()) {
      if (files.exists(IDENTITY.path(component))) {
        sound.put(component, files.content(IDENTITY.path(component)));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Component.class,
      names = {"DATA", "INDEX", "FILTER", "META", "KEYS"})
  void everyFlippedBitIsNoticedOrWithoutEffect(Component component) throws IOException {
    byte[] content = sound(component);
    PrimitiveIterator.OfLong bits = Damage.bits(content.length, 1).iterator();
    int tried = 0;
    while (bits.hasNext()) {
      long bit = bits.nextLong();
      SimFileSystem files = disk();
      files.flipBit(IDENTITY.path(component), bit);
      check(files, component, component + ", bit " + bit);
      tried++;
    }
    Figures.write("bits of " + component, Map.of("flipped", tried));
  }

  @ParameterizedTest
  @EnumSource(
      value = Component.class,
      names = {"DATA", "INDEX", "FILTER", "META", "KEYS"})
  void everyLengthIsNoticedOrWithoutEffect(Component component) throws IOException {
    byte[] content = sound(component);
    PrimitiveIterator.OfLong lengths = Damage.lengths(content.length, 1).iterator();
    int tried = 0;
    while (lengths.hasNext()) {
      int length = (int) lengths.nextLong();
      SimFileSystem files = disk();
      files.overwrite(IDENTITY.path(component), Arrays.copyOf(content, length));
      check(files, component, component + " of " + length + " bytes");
      tried++;
    }
    Figures.write("lengths of " + component, Map.of("tried", tried));
  }

  private void check(SimFileSystem files, Component damaged, String what) throws IOException {
    boolean refused = false;
    try {
      SSTable table = SSTable.open(resources(files), IDENTITY);
      table.openKeyIndex();
      for (Map.Entry<RowKey, RowState> row : rows.entrySet()) {
        try {
          AtomCursor found = table.row(row.getKey(), PathRange.ALL, false, ReadContext.blocking());
          assertNotNull(found, what);
          AtomCursor expected = row.getValue().cursor(PathRange.ALL, false, TestRows.STANDARD);
          assertEquals(TestFiles.drain(expected), TestFiles.drain(found), what);
        } catch (UnreadableFileException told) {
          refused = true;
        }
      }
      table.release();
    } catch (UnreadableFileException | MismatchedFileException told) {
      refused = true;
    }
    assertEquals(damaged == Component.DATA, refused, what);
  }

  private SimFileSystem disk() throws IOException {
    SimFileSystem files = new SimFileSystem();
    files.createDirectories("f");
    for (Map.Entry<Component, byte[]> component : sound.entrySet()) {
      files.overwrite(IDENTITY.path(component.getKey()), component.getValue());
    }
    return files;
  }

  private byte[] sound(Component component) {
    byte[] content = sound.get(component);
    assertNotNull(content);
    assertTrue(content.length > 10);
    return content;
  }

  private static SSTableResources resources(SimFileSystem files) {
    return TestFiles.smallResources(
        files, FileSettings.withKeyIndexMinRows(TestFiles.smallBlocks(), 2));
  }
}
