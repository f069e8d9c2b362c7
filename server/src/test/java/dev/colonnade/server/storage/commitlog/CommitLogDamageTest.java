package dev.colonnade.server.storage.commitlog;

import static dev.colonnade.server.storage.commitlog.LogFixture.words;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.PowerLostException;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.storage.commitlog.LogFixture.Replayed;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * After a crash the acknowledged prefix comes back; after damage, the right prefix or a typed
 * error.
 */
final class CommitLogDamageTest {
  private static final String FIRST = SegmentFormat.name(1);
  private static final List<String> ALL = List.of("alpha", "beta", "gamma", "delta");

  /** One segment, not sealed, with a sync in the middle. */
  private static SimFileSystem openSegment() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = LogFixture.open(disk);
    log.append(words("alpha", "beta"));
    log.sync();
    log.append(words("gamma"));
    log.append(words("delta"));
    return disk;
  }

  @Test
  void everyTruncationOfTheLastSegmentGivesAPrefix() throws IOException {
    byte[] whole = openSegment().content(FIRST);
    int header = LogFixture.open(new SimFileSystem()).end().offset() > 0 ? 50 : 0;
    for (int length = 0; length < whole.length; length++) {
      SimFileSystem disk = new SimFileSystem();
      disk.overwrite(FIRST, Arrays.copyOf(whole, length));
      if (length < header) {
        assertThrows(
            CorruptFileException.class, () -> LogFixture.replayed(disk), "length " + length);
      } else {
        List<String> replayed = LogFixture.replayed(disk);
        assertEquals(ALL.subList(0, replayed.size()), replayed, "length " + length);
        assertTrue(replayed.size() < ALL.size(), "length " + length);
      }
    }
  }

  @Test
  void everyFlippedBitGivesAPrefixOrATypedError() throws IOException {
    byte[] whole = openSegment().content(FIRST);
    int errors = 0;
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      SimFileSystem disk = new SimFileSystem();
      disk.overwrite(FIRST, whole);
      disk.flipBit(FIRST, bit);
      try {
        List<String> replayed = LogFixture.replayed(disk);
        assertTrue(replayed.size() < ALL.size(), "bit " + bit);
        assertEquals(ALL.subList(0, replayed.size()), replayed, "bit " + bit);
        assertTrue(
            replayed.size() >= 2, "bit " + bit + ": what was known to be synced is not dropped");
      } catch (UnreadableFileException expected) {
        errors++;
      }
    }
    // The header and both synced records at least.
    assertTrue(errors >= 8 * (50 + 14 + 13), errors + " errors");
  }

  @Test
  void everyFlippedBitOfACleanlyClosedLogIsATypedErrorOrInTheSeal() throws IOException {
    SimFileSystem clean = new SimFileSystem();
    CommitLog log = LogFixture.open(clean);
    log.append(words("alpha", "beta", "gamma", "delta"));
    log.close();
    byte[] whole = clean.content(FIRST);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      SimFileSystem disk = new SimFileSystem();
      disk.overwrite(FIRST, whole);
      disk.flipBit(FIRST, bit);
      if (bit / 8 >= whole.length - Frames.MARK_BYTES) {
        assertEquals(ALL, LogFixture.replayed(disk), "bit " + bit);
      } else {
        assertThrows(UnreadableFileException.class, () -> LogFixture.replayed(disk), "bit " + bit);
      }
    }
  }

  @Test
  void damageInAnEarlierSegmentIsNeverSkipped() throws IOException {
    SimFileSystem disk = openSegment();
    byte[] whole = disk.content(FIRST);
    LogFixture.open(disk).append(words("epsilon"));
    // Number 2 was ready to follow when the first run ended.
    String next = SegmentFormat.name(3);
    byte[] second = disk.content(next);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      SimFileSystem damaged = new SimFileSystem();
      damaged.overwrite(FIRST, whole);
      damaged.overwrite(next, second);
      damaged.flipBit(FIRST, bit);
      assertThrows(UnreadableFileException.class, () -> LogFixture.replayed(damaged), "bit " + bit);
    }
    for (int length = 0; length < whole.length; length++) {
      SimFileSystem damaged = new SimFileSystem();
      damaged.overwrite(FIRST, Arrays.copyOf(whole, length));
      damaged.overwrite(next, second);
      assertThrows(
          CorruptFileException.class, () -> LogFixture.replayed(damaged), "length " + length);
    }
  }

  @Test
  void aTornTailOfAnEarlierRunStaysHarmless() throws IOException {
    SimFileSystem disk = openSegment();
    byte[] whole = disk.content(FIRST);
    disk.overwrite(FIRST, Arrays.copyOf(whole, whole.length - 1));
    LogFixture.open(disk).append(words("epsilon"));
    assertEquals(List.of("alpha", "beta", "gamma", "epsilon"), LogFixture.replayed(disk));
  }

  @Test
  void zerosBehindTheLastRecordAreATornTail() throws IOException {
    SimFileSystem disk = openSegment();
    byte[] whole = disk.content(FIRST);
    disk.overwrite(FIRST, Arrays.copyOf(whole, whole.length + 5000));
    CommitLog log = LogFixture.open(disk);
    assertEquals(4, log.recovery().records());
    assertEquals(5000, log.recovery().droppedBytes());
  }

  @Test
  void anyMissingSegmentIsReportedAfterAStopAndAfterACrash() throws IOException {
    for (boolean stopped : List.of(true, false)) {
      SimFileSystem whole = new SimFileSystem();
      CommitLog log = LogFixture.open(whole);
      for (int i = 0; i < 6; i++) {
        log.append(words("x".repeat(500)));
      }
      log.sync();
      if (stopped) {
        log.close();
      }
      assertEquals(6, LogFixture.replayed(whole.crashClone()).size());
      List<String> segments =
          whole.list("").stream().filter(name -> SegmentFormat.number(name).isPresent()).toList();
      assertTrue(segments.size() > 3, "" + segments);
      for (String missing : segments) {
        SimFileSystem disk = whole.crashClone();
        disk.delete(missing);
        CorruptFileException refusal =
            assertThrows(CorruptFileException.class, () -> LogFixture.replayed(disk), missing);
        assertTrue(String.valueOf(refusal.getMessage()).contains("segment"), missing);
        assertThrows(CorruptFileException.class, () -> LogFixture.replayed(disk), "once more");
      }
      SimFileSystem none = whole.crashClone();
      for (String name : segments) {
        none.delete(name);
      }
      assertThrows(CorruptFileException.class, () -> LogFixture.replayed(none));
    }
  }

  @Test
  void missingSegmentsThatNoFamilyNeedsAreNoDamage() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = LogFixture.open(disk);
    for (int i = 0; i < 6; i++) {
      log.append(words("x".repeat(500)));
      log.flushed(LogFixture.POSTS, log.end());
    }
    log.append(words("last"));
    log.sync();
    // Records that share the last segment with it are kept with it.
    List<String> crashed = LogFixture.replayed(disk.crashClone());
    assertTrue(crashed.size() < 4 && crashed.contains("last"), "" + crashed);
    log.close();
    List<String> stopped = LogFixture.replayed(disk);
    assertEquals(crashed, stopped);
  }

  @Test
  void aDamagedInventoryKeepsNoLogFromOpening() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = LogFixture.open(disk);
    log.append(words("a"));
    log.close();
    disk.flipBit(SegmentInventory.NAME, 8 * 20);
    assertEquals(List.of("a"), LogFixture.replayed(disk));
    disk.delete(SegmentFormat.name(1));
    assertThrows(
        CorruptFileException.class, () -> LogFixture.replayed(disk), "it is written again");
  }

  /** The procedure of docs/operations.md when there is no sound copy. */
  @Test
  void withoutTheDamagedSegmentAndThoseBeforeItTheLogOpens() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = LogFixture.open(disk);
    for (int i = 0; i < 6; i++) {
      log.append(words(i + "x".repeat(500)));
    }
    log.close();
    disk.flipBit(SegmentFormat.name(2), 8 * 100);
    assertThrows(CorruptFileException.class, () -> LogFixture.replayed(disk));
    disk.delete(SegmentFormat.name(1));
    disk.delete(SegmentFormat.name(2));
    disk.delete(SegmentInventory.NAME);
    List<String> kept = LogFixture.replayed(disk);
    assertEquals('5', kept.get(kept.size() - 1).charAt(0));
    assertTrue(kept.size() < 6 && kept.get(0).charAt(0) > '1', kept.size() + " records");
  }

  @Test
  void aSegmentUnderAnothersNameIsReported() throws IOException {
    SimFileSystem disk = openSegment();
    disk.rename(FIRST, SegmentFormat.name(3));
    assertThrows(CorruptFileException.class, () -> LogFixture.replayed(disk));
  }

  @Test
  void aPayloadThatMakesNoSenseIsDamageOfTheSegment() throws IOException {
    SimFileSystem disk = openSegment();
    CorruptFileException damaged =
        assertThrows(
            CorruptFileException.class,
            () ->
                LogFixture.open(
                    disk,
                    (position, payload) -> {
                      throw new CorruptDataException("a mutation", 3, "a key", "none");
                    }));
    assertEquals(50 + 9 + 3, damaged.offset());
  }

  @Test
  void aHugeLengthTakesNoMemory() throws IOException {
    SimFileSystem disk = openSegment();
    byte[] content = disk.content(FIRST);
    Arrays.fill(content, 54, 58, (byte) 0x7f);
    disk.overwrite(FIRST, content);
    assertThrows(CorruptFileException.class, () -> LogFixture.replayed(disk));
  }

  @Test
  void aCrashAfterEveryFileOperationKeepsWhatWasSynced() throws IOException {
    long operations = scenario(new SimFileSystem(), new ArrayList<>(), new ArrayList<>());
    assertTrue(operations > 40, operations + " operations");
    for (long n = 0; n <= operations; n++) {
      List<String> synced = new ArrayList<>();
      List<String> written = new ArrayList<>();
      SimFileSystem disk = new SimFileSystem();
      disk.stopAfter(n);
      try {
        scenario(disk, written, synced);
      } catch (PowerLostException | LogRefusedException | LogBrokenException expected) {
        // The point of the exercise.
      }
      check(disk.crashClone(), written, synced, "operation " + n);
      for (int seed = 0; seed < 10; seed++) {
        SimFileSystem after = disk.crashClone(new SeededRandom(seed));
        check(after, written, synced, "operation " + n + ", seed " + seed);
      }
    }
  }

  /** Three runs of one log, with rolling, syncs, flushes and a kill. */
  private static long scenario(SimFileSystem disk, List<String> written, List<String> synced)
      throws IOException {
    for (int run = 0; run < 3; run++) {
      CommitLog log = LogFixture.open(disk);
      for (int i = 0; i < 12; i++) {
        String word = run + "-" + i + "-" + "x".repeat(200);
        written.add(word);
        log.append(words(word));
        if (i % 3 == 2) {
          log.sync();
          synced.clear();
          synced.addAll(written);
        }
      }
      if (run != 1) {
        log.close();
        synced.clear();
        synced.addAll(written);
      }
    }
    return disk.operations();
  }

  private static void check(
      SimFileSystem disk, List<String> written, List<String> synced, String message)
      throws IOException {
    List<String> replayed = LogFixture.replayed(disk);
    assertTrue(replayed.size() >= synced.size(), message);
    assertEquals(written.subList(0, replayed.size()), replayed, message);
    assertEquals(replayed, LogFixture.replayed(disk.crashClone()), message + ", again");
  }

  @Test
  void aCrashWhileSegmentsAreDeletedLeavesNoGap() throws IOException {
    for (int n = 0; n < 8; n++) {
      SimFileSystem disk = new SimFileSystem();
      CommitLog log = LogFixture.open(disk);
      for (int i = 0; i < 8; i++) {
        log.append(words(i + "x".repeat(500)));
      }
      log.sync();
      LogPosition end = log.end();
      disk.stopAfter(disk.operations() + n);
      try {
        log.flushed(LogFixture.POSTS, end);
      } catch (PowerLostException expected) {
        // The point of the exercise.
      }
      for (int seed = 0; seed < 10; seed++) {
        Replayed replayed = new Replayed();
        LogFixture.open(disk.crashClone(new SeededRandom(seed)), replayed).close();
        assertEquals('7', replayed.words.get(replayed.words.size() - 1).charAt(0));
      }
    }
  }

  /** Three segments: one that is durable, one that was left, one that is being written. */
  private static SimFileSystem afterRotations(CommitLog[] opened) throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = LogFixture.open(disk);
    for (int i = 0; i < 6; i++) {
      log.append(words(i + "x".repeat(400)));
    }
    opened[0] = log;
    return disk;
  }

  @Test
  void whatWasLeftAndNeverSyncedIsATornTailWithAllBehindIt() throws IOException {
    SimFileSystem disk = afterRotations(new CommitLog[1]);
    byte[] whole = disk.content(SegmentFormat.name(2));
    for (int length = 50; length < whole.length; length++) {
      SimFileSystem torn = disk.copy();
      torn.overwrite(SegmentFormat.name(2), Arrays.copyOf(whole, length));
      Replayed replayed = new Replayed();
      CommitLog log = LogFixture.open(torn, replayed);
      int kept = replayed.words.size();
      assertTrue(kept == 2 || kept == 3, "length " + length + ": " + kept);
      assertTrue(log.recovery().droppedBytes() > 400);
      assertEquals(4, log.append(words("next")).last().segment(), "no number comes again");
      assertFalse(torn.exists(SegmentFormat.name(3)));
      log.sync();
      assertEquals("next", LogFixture.replayed(torn.crashClone()).get(kept));
    }
  }

  @Test
  void whatWasLeftAndIsSyncedIsNeverSkipped() throws IOException {
    CommitLog[] log = new CommitLog[1];
    SimFileSystem disk = afterRotations(log);
    log[0].sync();
    // The mark that says so.
    log[0].append(words("more"));
    byte[] whole = disk.content(SegmentFormat.name(2));
    for (int bit = 0; bit < 8 * (whole.length - Frames.MARK_BYTES); bit++) {
      SimFileSystem damaged = disk.copy();
      damaged.flipBit(SegmentFormat.name(2), bit);
      assertThrows(UnreadableFileException.class, () -> LogFixture.replayed(damaged), "bit " + bit);
    }
  }

  @Test
  void theSegmentThatIsReadyTellsOfAMissingOneBeforeIt() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = LogFixture.open(disk);
    log.append(words("x".repeat(500)));
    log.append(words("y".repeat(500)));
    log.prepare();
    disk.delete(SegmentFormat.name(2));
    assertThrows(CorruptFileException.class, () -> LogFixture.replayed(disk));
  }

  @Test
  void aStartThatIsCutOffBeforeItDeletedWhatItLeftOutLeavesItOutAgain() throws IOException {
    SimFileSystem disk = afterRotations(new CommitLog[1]);
    byte[] whole = disk.content(SegmentFormat.name(2));
    disk.overwrite(SegmentFormat.name(2), Arrays.copyOf(whole, whole.length - 1));
    long operations = disk.copy().operations();
    for (int n = 0; n < 30; n++) {
      SimFileSystem cut = disk.copy();
      cut.stopAfter(operations + n);
      try {
        LogFixture.open(cut);
      } catch (PowerLostException | LogRefusedException expected) {
        // The point of the exercise.
      }
      for (int seed = 0; seed < 5; seed++) {
        SimFileSystem after = cut.crashClone(new SeededRandom(seed));
        assertEquals(3, LogFixture.replayed(after).size(), "operation " + n + ", seed " + seed);
      }
    }
  }
}
