package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every damage of a component is found, and said of that component alone; nothing is changed. */
final class SSTableCheckTest {
  private static final SSTableIdentity IDENTITY = TestFiles.identity(3, TestRows.SUPER);

  private final SimFileSystem files = new SimFileSystem();
  private final NavigableMap<RowKey, RowState> rows = new TestRows(11, TestRows.SUPER).rows(90);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSoundFileHasNoProblem(boolean superFamily) throws IOException {
    PathOrder order = superFamily ? TestRows.SUPER : TestRows.STANDARD;
    NavigableMap<RowKey, RowState> some = new TestRows(12, order).rows(90);
    SSTableIdentity identity = TestFiles.identity(4, order);
    TestFiles.write(TestFiles.resources(files, TestFiles.smallBlocks()), identity, some).release();
    List<Long> progress = new ArrayList<>();
    SSTableCheck.Outcome outcome =
        new SSTableCheck(
                files,
                new SortedArrayKeyIndexes(files),
                identity,
                SSTableCheckTest::token,
                progress::add)
            .run();
    assertEquals(List.of(), outcome.problems());
    assertEquals(some.size(), outcome.rows());
    assertTrue(progress.size() > 5);
    assertEquals(outcome.bytes(), progress.get(progress.size() - 1));
  }

  @ParameterizedTest
  @EnumSource(
      value = Component.class,
      names = {"DATA", "INDEX", "FILTER", "META", "KEYS"})
  void anyFlippedBitIsSaidOfItsComponent(Component component) throws IOException {
    write();
    String path = IDENTITY.path(component);
    RandomSource random = new SeededRandom(20 + component.number());
    long bits = 8L * files.content(path).length;
    for (int i = 0; i < 60; i++) {
      long bit = Math.floorMod(random.nextLong(), bits);
      files.flipBit(path, bit);
      byte[] before = files.content(path);
      SSTableCheck.Outcome outcome = check();
      assertFalse(outcome.problems().isEmpty(), () -> "bit " + bit + " of " + path);
      for (SSTableCheck.Problem problem : outcome.problems()) {
        assertEquals(files.describe(path), problem.path(), () -> bit + ": " + problem);
        assertEquals(component != Component.DATA, problem.rebuilt());
        assertTrue(problem.offset() <= bits / 8, problem::toString);
      }
      assertEquals(before.length, files.content(path).length, "nothing is rebuilt");
      files.flipBit(path, bit);
    }
    assertEquals(List.of(), check().problems());
  }

  @ParameterizedTest
  @EnumSource(
      value = Component.class,
      names = {"DATA", "INDEX", "FILTER", "META", "KEYS"})
  void aMissingComponentIsSaid(Component component) throws IOException {
    write();
    files.delete(IDENTITY.path(component));
    List<SSTableCheck.Problem> problems = check().problems();
    assertEquals(1, problems.size(), problems::toString);
    assertEquals(files.describe(IDENTITY.path(component)), problems.get(0).path());
    assertEquals("the file is missing", problems.get(0).what());
  }

  @Test
  void aCopyWithoutItsKeyIndexIsSound() throws IOException {
    write();
    files.delete(IDENTITY.path(Component.KEYS));
    SSTableCheck.Outcome outcome =
        new SSTableCheck(files, null, IDENTITY, SSTableCheckTest::token, bytes -> {}).run();
    assertEquals(List.of(), outcome.problems());
  }

  @Test
  void theRowsBehindADamagedBlockAreChecked() throws IOException {
    write();
    long bits = 8L * files.content(IDENTITY.path(Component.DATA)).length;
    files.flipBit(IDENTITY.path(Component.DATA), bits / 3);
    files.flipBit(IDENTITY.path(Component.DATA), bits / 2);
    SSTableCheck.Outcome outcome = check();
    assertEquals(2, outcome.problems().size(), outcome.problems()::toString);
    assertTrue(outcome.rows() > rows.size() * 2 / 3, "" + outcome.rows());
  }

  @Test
  void aTokenOfAnotherPartitionerIsDamage() throws IOException {
    write();
    SSTableCheck.Outcome outcome =
        new SSTableCheck(files, new SortedArrayKeyIndexes(files), IDENTITY, key -> key, bytes -> {})
            .run();
    assertTrue(outcome.problems().get(0).what().contains("with the token"));
    assertFalse(outcome.problems().isEmpty());
  }

  @Test
  void anIndexOfAnotherFileIsDamage() throws IOException {
    write();
    NavigableMap<RowKey, RowState> fewer = new TestRows(13, TestRows.SUPER).rows(40);
    SimFileSystem others = new SimFileSystem();
    TestFiles.write(TestFiles.resources(others, TestFiles.smallBlocks()), IDENTITY, fewer)
        .release();
    byte[] other = others.content(IDENTITY.path(Component.INDEX));
    files.delete(IDENTITY.path(Component.INDEX));
    try (var file = files.create(IDENTITY.path(Component.INDEX))) {
      file.write(java.nio.ByteBuffer.wrap(other));
    }
    List<SSTableCheck.Problem> problems = check().problems();
    assertTrue(
        problems.stream()
            .allMatch(each -> each.path().equals(files.describe(IDENTITY.path(Component.INDEX)))),
        problems::toString);
    assertFalse(problems.isEmpty());
  }

  @Test
  void theIndexIsListedBlockByBlock() throws IOException {
    write();
    long next = -1;
    int inRows = 0;
    try (SSTableIndexReader index = SSTableIndexReader.open(files, IDENTITY)) {
      for (Optional<SSTableIndexReader.IndexEntry> entry = index.next();
          entry.isPresent();
          entry = index.next()) {
        assertTrue(next < 0 || entry.get().offset() == next);
        next = entry.get().offset() + entry.get().frameBytes();
        inRows += entry.get().path().isPresent() ? 1 : 0;
      }
      assertEquals(rows.size(), index.stats().rows());
      assertEquals(rows.size(), index.keyEntries());
    }
    assertTrue(inRows > 3, "rows of several blocks are entered at their columns");
  }

  @Test
  void theFilterIsAsGoodAsItsBitsSay() throws IOException {
    write();
    SSTableFilterReport report =
        SSTableFilterReport.read(files, IDENTITY, new SeededRandom(1), 100_000);
    assertEquals(rows.size(), report.rows());
    assertTrue(report.bits() >= 12L * rows.size());
    assertTrue(report.bitsSet() <= 8L * rows.size());
    assertEquals(report.expected(), report.measured(), 0.002);
  }

  @Test
  void theHeaderOfASoundComponentTellsWhoseFileItIs() throws IOException {
    write();
    files.flipBit(IDENTITY.path(Component.DATA), 200);
    assertEquals(SSTableHeader.of(IDENTITY), SSTableHeader.read(files, "f", 3));
  }

  private void write() throws IOException {
    TestFiles.write(TestFiles.resources(files, TestFiles.smallBlocks()), IDENTITY, rows).release();
  }

  private SSTableCheck.Outcome check() {
    return new SSTableCheck(
            files, new SortedArrayKeyIndexes(files), IDENTITY, SSTableCheckTest::token, bytes -> {})
        .run();
  }

  private static byte[] token(byte[] key) {
    return TestRows.key(new String(key, StandardCharsets.UTF_8)).token();
  }
}
