package dev.colonnade.server.storage.sstable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SortedArrayKeyIndexes;
import dev.colonnade.server.storage.sstable.SSTableSalvage.Loss;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of a damaged file all is kept that was sound, nothing is invented, and what is lost is said. */
final class SSTableSalvageTest {

  private static final int ROUNDS = 60;

  private final SimFileSystem files = new SimFileSystem();
  private final List<Loss> losses = new ArrayList<>();
  private SSTableIdentity damaged = TestFiles.identity(3, TestRows.SUPER);
  private SSTableIdentity salvaged = TestFiles.identity(4, TestRows.SUPER);
  private NavigableMap<RowKey, RowState> rows = new TestRows(31, TestRows.SUPER).rows(70);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutAnyBlocksTheRestIsKept(boolean superFamily) throws IOException {
    SalvageModel model = write(superFamily ? TestRows.SUPER : TestRows.STANDARD);
    assertTrue(model.wide() > 3, "rows of several blocks");
    byte[] sound = files.content(damaged.path(Component.DATA));
    int blocks = model.frames().size();
    assertTrue(blocks > 20, "" + blocks);
    RandomSource random = new SeededRandom(superFamily ? 41 : 42);
    for (int round = 0; round < ROUNDS; round++) {
      Set<Integer> bad = badBlocks(round, blocks, random);
      byte[] bytes = sound.clone();
      for (int each : bad) {
        SalvageModel.Frame frame = model.frames().get(each);
        int at = (int) frame.offset() + random.nextInt(frame.bytes());
        bytes[at] = (byte) (bytes[at] ^ 1 << random.nextInt(8));
      }
      files.overwrite(damaged.path(Component.DATA), bytes);
      if (round % 3 == 0) {
        files.delete(damaged.path(Component.INDEX));
      }
      SSTableSalvage.Outcome outcome = salvage();
      model.check(bad, files, salvaged, outcome, losses, "round " + round + " without " + bad);
      assertEquals(rows.size(), outcome.rowsOfFile().orElse(-1));
      isSound(outcome);
      assertTrue(Arrays.equals(bytes, files.content(damaged.path(Component.DATA))));
      files.overwrite(damaged.path(Component.DATA), sound);
      if (round % 3 == 0) {
        SSTable.open(TestFiles.smallResources(files, TestFiles.smallBlocks()), damaged).release();
      }
    }
  }

  /** The first block, the last, one in the middle, neighbours, all; and others. */
  private static Set<Integer> badBlocks(int round, int blocks, RandomSource random) {
    TreeSet<Integer> bad = new TreeSet<>();
    switch (round) {
      case 0 -> bad.add(0);
      case 1 -> bad.add(blocks - 1);
      case 2 -> bad.add(blocks / 2);
      case 3 -> bad.addAll(List.of(blocks / 3, blocks / 3 + 1));
      case 4 -> {
        for (int i = 0; i < blocks; i++) {
          bad.add(i);
        }
      }
      default -> {
        int count = 1 + random.nextInt(round % 2 == 0 ? 3 : blocks / 2);
        while (bad.size() < count) {
          bad.add(random.nextInt(blocks));
        }
      }
    }
    return bad;
  }

  @Test
  void ofAFileThatIsCutOffTheBlocksBeforeAreKept() throws IOException {
    SalvageModel model = write(TestRows.STANDARD);
    byte[] sound = files.content(damaged.path(Component.DATA));
    byte[] statistics = files.content(damaged.path(Component.META));
    RandomSource random = new SeededRandom(43);
    for (int round = 0; round < ROUNDS / 2; round++) {
      int length = round == 0 ? sound.length - 1 : random.nextInt(sound.length);
      files.overwrite(damaged.path(Component.DATA), Arrays.copyOf(sound, length));
      Set<Integer> bad = new TreeSet<>();
      for (int i = 0; i < model.frames().size(); i++) {
        if (model.frames().get(i).offset() + model.frames().get(i).bytes() > length) {
          bad.add(i);
        }
      }
      boolean withStatistics = round % 2 == 0;
      files.overwrite(damaged.path(Component.META), withStatistics ? statistics : new byte[5]);
      SSTableSalvage.Outcome outcome = salvage();
      model.check(bad, files, salvaged, outcome, losses, "cut off at " + length);
      assertEquals(withStatistics, outcome.rowsOfFile().isPresent());
      assertEquals(withStatistics && bad.isEmpty(), outcome.losses() == 0, "cut off at " + length);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Component.class,
      names = {"INDEX", "FILTER", "META", "KEYS"})
  void aFileWithADamagedAuxiliaryComponentIsRebuiltWhole(Component component) throws IOException {
    SalvageModel model = write(TestRows.SUPER);
    byte[] data = files.content(damaged.path(Component.DATA));
    RandomSource random = new SeededRandom(44 + component.number());
    byte[] sound = files.content(damaged.path(component));
    for (int round = 0; round < 6; round++) {
      byte[] bytes = sound.clone();
      bytes[random.nextInt(bytes.length)] ^= 1;
      files.overwrite(damaged.path(component), round == 0 ? new byte[0] : bytes);
      SSTableSalvage.Outcome outcome = salvage();
      model.check(Set.of(), files, salvaged, outcome, losses, component + " in round " + round);
      assertEquals(List.of(), losses);
      isSound(outcome);
      assertEquals(data.length, files.content(salvaged.path(Component.DATA)).length);
    }
  }

  @Test
  void withADamagedHeaderOrFooterNothingIsLost() throws IOException {
    SalvageModel model = write(TestRows.SUPER);
    byte[] sound = files.content(damaged.path(Component.DATA));
    SalvageModel.Frame last = model.frames().get(model.frames().size() - 1);
    int headerBytes = (int) model.frames().get(0).offset();
    int footerAt = (int) last.offset() + last.bytes();
    for (int at : new int[] {0, 5, 12, headerBytes - 1, footerAt, sound.length - 7}) {
      byte[] bytes = sound.clone();
      bytes[at] ^= 4;
      files.overwrite(damaged.path(Component.DATA), bytes);
      SSTableSalvage.Outcome outcome = salvage();
      model.check(Set.of(), files, salvaged, outcome, losses, "byte " + at);
      assertEquals(List.of(), losses, "byte " + at);
      isSound(outcome);
    }
    files.delete(damaged.path(Component.META));
    SSTableSalvage.Outcome outcome = salvage();
    assertEquals(1, losses.size(), "without footer and statistics there is no proof");
    assertEquals(null, losses.get(0).beforeRow());
    assertEquals(rows.size(), outcome.whole());
    assertEquals(OptionalLong.empty(), outcome.lostRows());
  }

  @Test
  void anotherFileIsRefused() throws IOException {
    write(TestRows.SUPER);
    damaged = TestFiles.identity(3, TestRows.STANDARD);
    salvaged = TestFiles.identity(4, TestRows.STANDARD);
    assertThrows(MismatchedFileException.class, this::salvage);
  }

  @Test
  void rowsOutOfOrderOrOfAnotherTokenAreRefusedOneByOne() throws IOException {
    damaged = TestFiles.identity(3, TestRows.STANDARD);
    salvaged = TestFiles.identity(4, TestRows.STANDARD);
    List<RowKey> keys = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      keys.add(TestRows.key("row" + i));
    }
    Collections.sort(keys);
    RowKey early = keys.remove(2);
    RowKey strange = new RowKey(keys.get(5).token(), "strange".getBytes(StandardCharsets.UTF_8));
    List<RowKey> written = new ArrayList<>(keys);
    written.add(5, early);
    written.set(6, strange);
    writeAsIs(written);
    SSTableSalvage.Outcome outcome = salvage();
    assertEquals(2, outcome.refused());
    assertEquals(7, outcome.whole());
    assertEquals(2, losses.size());
    assertTrue(losses.get(0).what().contains("out of order"), losses::toString);
    assertEquals(early, losses.get(0).afterRow());
    assertTrue(losses.get(1).what().contains("another token"), losses::toString);
    isSound(outcome);
    try (SSTableScan scan = SSTableScan.ofData(files, salvaged)) {
      for (RowKey key : written) {
        if (!key.equals(early) && !key.equals(strange)) {
          assertEquals(key, scan.nextRow());
        }
      }
      assertEquals(null, scan.nextRow());
    }
  }

  /** Writes rows of one column in the order given, each in a block of its own. */
  private void writeAsIs(List<RowKey> keys) throws IOException {
    files.createDirectories("f");
    DataBlockBuilder block = new DataBlockBuilder(1 << 10);
    try (BlockWriter data =
        BlockWriter.create(files, damaged, Component.DATA, SSTableSettings.BlockCompression.NONE)) {
      for (RowKey key : keys) {
        block.begin(false);
        block.row(key, DeletionTime.NONE, false, DeletionTime.NONE);
        block.cell(Cell.live(new byte[] {1}, null, key.key(), 7));
        block.finish(false);
        data.write(block.bytes(), block.length());
      }
      ByteWriter footer = new ByteWriter(64);
      footer.writeVarint(keys.size());
      footer.writeVarint(keys.size());
      footer.writeVarint(0);
      footer.writeVarint(keys.size());
      footer.writeVarint(data.uncompressedBytes());
      footer.writeVarint(data.maxFrameBytes());
      data.finish(footer.toByteArray());
    }
    ComponentFiles.publish(files, damaged, Component.DATA);
  }

  private SalvageModel write(PathOrder order) throws IOException {
    damaged = TestFiles.identity(3, order);
    salvaged = TestFiles.identity(4, order);
    rows = new TestRows(31, order).rows(70);
    TestFiles.write(TestFiles.resources(files, TestFiles.smallBlocks()), damaged, rows).release();
    return new SalvageModel(files, damaged, rows);
  }

  private SSTableSalvage.Outcome salvage() throws IOException {
    losses.clear();
    ComponentFiles.deleteAll(files, salvaged);
    SSTableResources resources = TestFiles.smallResources(files, TestFiles.smallBlocks());
    try (SSTableWriter writer = SSTableWriter.create(resources, salvaged)) {
      SSTableSalvage.Outcome outcome =
          new SSTableSalvage(
                  files, damaged, writer, SSTableSalvageTest::token, losses::add, bytes -> {})
              .run();
      if (writer.rows() > 0) {
        writer.finish().release();
      }
      return outcome;
    }
  }

  private void isSound(SSTableSalvage.Outcome outcome) {
    if (outcome.whole() + outcome.incomplete() > 0) {
      SSTableCheck.Outcome check =
          new SSTableCheck(
                  files,
                  new SortedArrayKeyIndexes(files),
                  salvaged,
                  SSTableSalvageTest::token,
                  bytes -> {})
              .run();
      assertEquals(List.of(), check.problems());
      assertFalse(check.rows() == 0);
    }
  }

  private static byte[] token(byte[] key) {
    return TestRows.key(new String(key, StandardCharsets.UTF_8)).token();
  }
}
