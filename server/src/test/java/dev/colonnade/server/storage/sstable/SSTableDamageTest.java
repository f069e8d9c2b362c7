package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is derived is rebuilt; what is not is never served damaged. */
final class SSTableDamageTest {
  private static final SSTableIdentity IDENTITY = TestFiles.identity(3, TestRows.STANDARD);

  private final SimFileSystem files = new SimFileSystem();
  private final TestRows source = new TestRows(5, TestRows.STANDARD);
  private final NavigableMap<RowKey, RowState> rows = source.rows(80);

  @BeforeEach
  void writeTheFile() throws IOException {
    SSTable written = TestFiles.write(resources(files), IDENTITY, rows);
    assertTrue(written.hasKeyIndex());
    written.release();
  }

  @ParameterizedTest
  @EnumSource(
      value = Component.class,
      names = {"INDEX", "FILTER", "META", "KEYS"})
  void aMissingDerivedComponentIsRebuilt(Component component) throws IOException {
    byte[] original = files.content(IDENTITY.path(component));
    files.delete(IDENTITY.path(component));
    answersAreTheSame();
    assertEquals(original.length, files.content(IDENTITY.path(component)).length);
  }

  @ParameterizedTest
  @EnumSource(
      value = Component.class,
      names = {"INDEX", "FILTER", "META", "KEYS"})
  void aDamagedDerivedComponentIsRebuilt(Component component) throws IOException {
    RandomSource random = new SeededRandom(component.number());
    long bits = 8L * files.content(IDENTITY.path(component)).length;
    for (int i = 0; i < 12; i++) {
      files.flipBit(IDENTITY.path(component), Math.floorMod(random.nextLong(), bits));
      answersAreTheSame();
    }
  }

  @Test
  void aDerivedComponentCutShortIsRebuilt() throws IOException {
    for (Component component :
        new Component[] {Component.INDEX, Component.FILTER, Component.META, Component.KEYS}) {
      byte[] whole = files.content(IDENTITY.path(component));
      for (int length : new int[] {0, 1, 20, whole.length / 2, whole.length - 1}) {
        files.overwrite(IDENTITY.path(component), java.util.Arrays.copyOf(whole, length));
        answersAreTheSame();
      }
    }
  }

  @Test
  void whileTheKeyIndexIsMissingTheSparseIndexServes() throws IOException {
    files.delete(IDENTITY.path(Component.KEYS));
    SSTable table = SSTable.open(resources(files), IDENTITY);
    assertFalse(table.hasKeyIndex());
    SSTableRoundTripTest.sameRows(table, rows, source, "without key index");
    table.openKeyIndex();
    assertTrue(table.hasKeyIndex());
    SSTableRoundTripTest.sameRows(table, rows, source, "with a new key index");
  }

  @Test
  void aFlippedBitOfTheDataIsAnErrorAndNeverAWrongAnswer() throws IOException {
    RandomSource random = new SeededRandom(77);
    byte[] sound = files.content(IDENTITY.path(Component.DATA));
    for (int i = 0; i < 150; i++) {
      long bit = Math.floorMod(random.nextLong(), 8L * sound.length);
      files.overwrite(IDENTITY.path(Component.DATA), sound);
      files.flipBit(IDENTITY.path(Component.DATA), bit);
      int refused = refusedReads("bit " + bit);
      assertTrue(refused > 0, "nothing noticed bit " + bit);
    }
  }

  @Test
  void aDataFileCutShortIsRefused() throws IOException {
    byte[] whole = files.content(IDENTITY.path(Component.DATA));
    for (int length : new int[] {0, 1, 17, 100, whole.length / 2, whole.length - 1}) {
      files.overwrite(IDENTITY.path(Component.DATA), java.util.Arrays.copyOf(whole, length));
      assertThrows(UnreadableFileException.class, () -> SSTable.open(resources(files), IDENTITY));
    }
  }

  @Test
  void damageIsNamedByFileAndPlace() throws IOException {
    byte[] sound = files.content(IDENTITY.path(Component.DATA));
    files.flipBit(IDENTITY.path(Component.DATA), 8L * (sound.length / 2));
    SSTable table = SSTable.open(resources(files), IDENTITY);
    CorruptFileException damage = assertThrows(CorruptFileException.class, table::verify);
    assertTrue(damage.path().contains("000000000003-Data.db"), damage.getMessage());
    assertTrue(damage.offset() > 0 && damage.offset() <= sound.length / 2, damage.getMessage());
  }

  @Test
  void aBlockOfAnotherGenerationIsRefused() throws IOException {
    SSTableIdentity other = TestFiles.identity(4, TestRows.STANDARD);
    TestFiles.write(resources(files), other, rows).release();
    byte[] mine = files.content(IDENTITY.path(Component.DATA));
    byte[] theirs = files.content(other.path(Component.DATA));
    assertEquals(mine.length, theirs.length);
    // All but the header, which names the generation.
    System.arraycopy(theirs, 200, mine, 200, mine.length - 400);
    files.overwrite(IDENTITY.path(Component.DATA), mine);
    SSTable table = SSTable.open(resources(files), IDENTITY);
    assertThrows(CorruptFileException.class, table::verify);
  }

  @Test
  void aFileIsRefusedUnderAnotherOrderPartitionerOrFamily() {
    PathOrder longs = new PathOrder(ColumnComparators.LONG, null);
    assertTrue(
        refusal(new SSTableIdentity("f", 3, TestFiles.FAMILY, "TestPartitioner", longs))
            .contains("comparator \"BytesType\" but is opened with \"LongType\""));
    assertTrue(
        refusal(new SSTableIdentity("f", 3, TestFiles.FAMILY, "Other", TestRows.STANDARD))
            .contains("partitioner"));
    assertTrue(
        refusal(
                new SSTableIdentity(
                    "f",
                    3,
                    new dev.colonnade.server.base.model.FamilyId(1, 2),
                    "TestPartitioner",
                    TestRows.STANDARD))
            .contains("column family"));
  }

  private String refusal(SSTableIdentity identity) {
    String message =
        assertThrows(MismatchedFileException.class, () -> SSTable.open(resources(files), identity))
            .getMessage();
    return message == null ? "" : message;
  }

  private void answersAreTheSame() throws IOException {
    SSTable table = SSTable.open(resources(files), IDENTITY);
    table.openKeyIndex();
    assertTrue(table.hasKeyIndex());
    for (Map.Entry<RowKey, RowState> row : rows.entrySet()) {
      sameRow(table, row.getKey(), row.getValue());
    }
    table.verify();
    table.release();
  }

  private static void sameRow(SSTable table, RowKey key, RowState expected) throws IOException {
    AtomCursor found = table.row(key, PathRange.ALL, false, ReadContext.blocking());
    assertNotNull(found);
    assertEquals(
        TestFiles.drain(expected.cursor(PathRange.ALL, false, TestRows.STANDARD)),
        TestFiles.drain(found));
  }

  /** Reads everything; what is answered must be right. */
  private int refusedReads(String where) throws IOException {
    SSTable table;
    try {
      table = SSTable.open(resources(files), IDENTITY);
    } catch (UnreadableFileException | MismatchedFileException refused) {
      return 1;
    }
    int refused = 0;
    for (Map.Entry<RowKey, RowState> row : rows.entrySet()) {
      try {
        sameRow(table, row.getKey(), row.getValue());
      } catch (CorruptFileException damage) {
        refused++;
      }
    }
    table.release();
    assertTrue(refused < rows.size(), where);
    return refused;
  }

  private static SSTableResources resources(SimFileSystem files) {
    return TestFiles.resources(files, TestFiles.smallBlocks());
  }
}
