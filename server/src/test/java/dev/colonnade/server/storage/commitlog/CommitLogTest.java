package dev.colonnade.server.storage.commitlog;

import static dev.colonnade.server.storage.commitlog.LogFixture.POSTS;
import static dev.colonnade.server.storage.commitlog.LogFixture.TAGS;
import static dev.colonnade.server.storage.commitlog.LogFixture.words;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.storage.commitlog.LogFixture.Replayed;
import dev.colonnade.server.storage.commitlog.LogFixture.Word;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Appending, replaying, rolling and forgetting. */
final class CommitLogTest {
  private final SimFileSystem disk = new SimFileSystem();

  @Test
  void replayGivesBackTheRecordsInOrderWithTheirPositions() throws IOException {
    CommitLog log = LogFixture.open(disk);
    AppendedGroup first = log.append(words("a", "", "c"));
    AppendedGroup second = log.append(words("d"));
    log.close();
    Replayed replayed = new Replayed();
    CommitLog reopened = LogFixture.open(disk, replayed);
    assertEquals(List.of("a", "", "c", "d"), replayed.words);
    assertEquals(
        List.of(first.position(0), first.position(1), first.last(), second.last()),
        replayed.positions);
    assertEquals(4, reopened.recovery().records());
    assertEquals(0, reopened.recovery().droppedBytes());
    assertTrue(first.last().isBefore(first.end()));
    assertTrue(second.end().isBefore(reopened.end()));
  }

  @Test
  void aGroupIsOneWrite() throws IOException {
    CommitLog log = LogFixture.open(disk);
    long before = disk.operations();
    log.append(words("a", "b", "c", "d", "e"));
    assertEquals(1, disk.operations() - before);
    assertEquals(1, log.figures().appends());
    assertEquals(5, log.figures().records());
  }

  @Test
  void whatWasSyncedSurvivesACrashAndTheRestMayNot() throws IOException {
    CommitLog log = LogFixture.open(disk);
    AppendedGroup first = log.append(words("a", "b"));
    assertTrue(log.sync().compareTo(first.end()) >= 0);
    log.append(words("c"));
    assertEquals(List.of("a", "b"), LogFixture.replayed(disk.crashClone()));
    assertEquals(List.of("a", "b", "c"), LogFixture.replayed(disk));
  }

  @Test
  void aCrashAfterAKillAndARestartLosesNothingThatWasReplayed() throws IOException {
    LogFixture.open(disk).append(words("a"));
    disk.kill();
    assertEquals(List.of("a"), LogFixture.replayed(disk));
    assertEquals(List.of("a"), LogFixture.replayed(disk.crashClone()));
  }

  @Test
  void aFullSegmentIsSealedAndFollowedByANewOne() throws IOException {
    CommitLog log = LogFixture.open(disk);
    for (int i = 0; i < 10; i++) {
      log.append(words("x".repeat(400) + i));
    }
    assertEquals(5, log.figures().segments());
    // The last segment need not be durable when the next one is created.
    assertEquals(6, LogFixture.replayed(disk.crashClone()).size());
    assertEquals(10, LogFixture.replayed(disk).size());
  }

  @Test
  void aSegmentOfAnEarlierRunIsNeverWrittenAgain() throws IOException {
    LogFixture.open(disk).close();
    byte[] before = disk.content(SegmentFormat.name(1));
    CommitLog log = LogFixture.open(disk, new Replayed());
    log.append(words("a"));
    log.close();
    assertFalse(disk.exists(SegmentFormat.name(1)), "an empty one is not kept");
    assertTrue(before.length > 0);
    CommitLog third = LogFixture.open(disk);
    assertEquals(3, third.append(words("b")).last().segment());
    assertTrue(disk.exists(SegmentFormat.name(2)));
  }

  @Test
  void aSegmentGoesWhenEveryFamilyInItWasFlushed() throws IOException {
    CommitLog log = LogFixture.open(disk);
    LogPosition posts = log.append(List.of(new Word("p".repeat(450), Set.of(POSTS)))).last();
    LogPosition both = log.append(List.of(new Word("b".repeat(450), Set.of(POSTS, TAGS)))).last();
    LogPosition later = log.append(List.of(new Word("l".repeat(450), Set.of(POSTS)))).last();
    assertEquals(2, log.figures().segments());
    log.flushed(POSTS, posts);
    assertEquals(2, log.figures().segments());
    log.flushed(POSTS, both);
    assertEquals(Set.of(TAGS), log.familiesPinningOldest());
    log.flushed(TAGS, both);
    assertEquals(1, log.figures().segments());
    assertEquals(2, later.segment());
    assertFalse(disk.crashClone().exists(SegmentFormat.name(1)), "the deletion is synced");
    log.flushed(POSTS, later);
    assertEquals(1, log.figures().segments(), "the one being written stays");
    assertEquals(Set.of(), log.familiesPinningOldest());
  }

  @Test
  void segmentsGoOldestFirst() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(List.of(new Word("t".repeat(450), Set.of(TAGS))));
    for (int i = 0; i < 4; i++) {
      log.append(words("p".repeat(450)));
    }
    assertEquals(3, log.figures().segments());
    log.flushed(POSTS, log.end());
    assertEquals(3, log.figures().segments());
    log.flushed(TAGS, log.end());
    assertEquals(1, log.figures().segments());
  }

  @Test
  void aDroppedFamilyHoldsNothing() throws IOException {
    CommitLog log = LogFixture.open(disk);
    for (int i = 0; i < 4; i++) {
      log.append(List.of(new Word("t".repeat(500), Set.of(TAGS))));
    }
    log.dropped(TAGS);
    assertEquals(1, log.figures().segments());
  }

  @Test
  void anOverfullLogNamesTheQuietFamily() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(List.of(new Word("quiet", Set.of(TAGS))));
    int appends = 0;
    while (!log.isOverLimit()) {
      log.append(words("p".repeat(500)));
      log.flushed(POSTS, log.end());
      appends++;
    }
    assertTrue(appends >= 6, appends + " appends");
    assertEquals(Set.of(TAGS), log.familiesPinningOldest());
    log.flushed(TAGS, log.end());
    assertFalse(log.isOverLimit());
  }

  @Test
  void whatReplayClaimsKeepsItsSegmentAndWhatItDoesNotClaimGoes() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("a"));
    log.close();
    Replayed claims = new Replayed();
    claims.families = Set.of(TAGS);
    CommitLog second = LogFixture.open(disk, claims);
    assertEquals(Set.of(TAGS), second.familiesPinningOldest());
    assertEquals(2, second.figures().segments());
    second.close();
    Replayed disclaims = new Replayed();
    disclaims.families = Set.of();
    CommitLog third = LogFixture.open(disk, disclaims);
    assertEquals(List.of("a"), disclaims.words);
    assertEquals(1, third.figures().segments());
  }

  @Test
  void positionsGoOnAfterALostDirectory() throws IOException {
    CommitLog log =
        CommitLog.open(
            disk,
            SegmentInventory.open(disk),
            LogFixture.SMALL,
            new LogPosition(41, 7),
            new Replayed());
    assertEquals(42, log.append(words("a")).last().segment());
    log.close();
    assertEquals(List.of("a"), LogFixture.replayed(disk));
  }

  @Test
  void aRecordOverTheLimitIsRefusedAndNothingIsWritten() throws IOException {
    CommitLog log = LogFixture.open(disk);
    LogPosition end = log.end();
    assertThrows(IllegalArgumentException.class, () -> log.append(words("fits", "x".repeat(513))));
    assertThrows(IllegalArgumentException.class, () -> log.append(List.<Word>of()));
    assertEquals(end, log.end());
    log.append(words("x".repeat(512)));
    log.close();
    assertEquals(List.of("x".repeat(512)), LogFixture.replayed(disk));
  }

  @Test
  void aGroupLargerThanASegmentStaysTogether() throws IOException {
    CommitLog log = LogFixture.open(disk);
    String half = "x".repeat(500);
    log.append(words(half, half, half, half));
    AppendedGroup next = log.append(words("next"));
    log.close();
    assertEquals(2, next.last().segment());
    assertEquals(List.of(half, half, half, half, "next"), LogFixture.replayed(disk));
  }

  @Test
  void aFailedSyncIsFinal() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("a"));
    disk.failAt(disk.operations() + 1);
    LogBrokenException broken = assertThrows(LogBrokenException.class, log::sync);
    assertTrue(broken.getCause() instanceof IOException);
    assertThrows(LogBrokenException.class, log::sync);
    long operations = disk.operations();
    assertThrows(LogBrokenException.class, () -> log.append(words("b")));
    log.close();
    assertEquals(operations, disk.operations(), "not even a seal");
  }

  @Test
  void aFailedWriteIsFinalAndItsHalfIsDropped() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("a"));
    disk.failAt(disk.operations() + 1);
    assertThrows(LogBrokenException.class, () -> log.append(words("lost")));
    assertThrows(LogBrokenException.class, () -> log.append(words("b")));
    assertThrows(LogBrokenException.class, log::sync);
    log.close();
    CommitLog reopened = LogFixture.open(disk);
    assertEquals(1, reopened.recovery().records());
    assertTrue(reopened.recovery().droppedBytes() > 0);
  }

  @Test
  void aFailureWhileRollingIsFinalOnlyOnceTheNewSegmentMayBeThere() throws IOException {
    List<String> outcomes = new ArrayList<>();
    for (int operation = 1; operation <= 14; operation++) {
      SimFileSystem files = new SimFileSystem();
      CommitLog log = LogFixture.open(files);
      log.append(words("x".repeat(500)));
      log.append(words("y".repeat(500)));
      files.failAt(files.operations() + operation);
      String message = "operation " + operation;
      int expected = 2;
      try {
        log.append(words("z".repeat(500)));
        outcomes.add("taken");
        expected++;
      } catch (LogRefusedException again) {
        log.append(words("z".repeat(500)));
        outcomes.add("refused");
        expected++;
      } catch (LogBrokenException end) {
        assertThrows(LogBrokenException.class, () -> log.append(words("z")), message);
        outcomes.add("broken");
      }
      log.close();
      assertEquals(expected, LogFixture.replayed(files).size(), message);
      assertEquals(List.of(), files.openFiles(), message);
    }
    assertEquals(
        List.of(
            "broken", "taken", "refused", "refused", "refused", "refused", "broken", "broken",
            "taken", "taken", "taken", "taken", "taken", "broken"),
        outcomes,
        "sync, seal, create, write, sync, sync of the directory, rename, sync of the directory,"
            + " the same five for the inventory, write");
  }

  @Test
  void aWriteWithoutRoomIsUndoneAndTheLogGoesOn() throws IOException {
    for (FileFault fault : List.of(FileFault.NO_SPACE, FileFault.SHORT_WRITE)) {
      SimFileSystem files = new SimFileSystem();
      CommitLog log = LogFixture.open(files);
      log.append(words("a"));
      files.plan().add(fault).once();
      assertThrows(LogRefusedException.class, () -> log.append(words("b", "b", "b")));
      assertEquals(List.of("a"), LogFixture.replayed(files.crashClone()));
      log.append(words("c"));
      log.sync();
      assertEquals(List.of("a", "c"), LogFixture.replayed(files.crashClone()));
      log.close();
    }
  }

  @Test
  void aWriteWithoutRoomThatCannotBeUndoneIsFinal() throws IOException {
    CommitLog log = LogFixture.open(disk);
    disk.plan().add(FileFault.SHORT_WRITE).on(FileOperation.WRITE).once();
    disk.plan().add(FileFault.ERROR).on(FileOperation.SYNC).once();
    assertThrows(LogBrokenException.class, () -> log.append(words("b")));
    assertThrows(LogBrokenException.class, () -> log.append(words("c")));
    log.close();
  }

  @Test
  void whatAFailedSyncLeftBehindIsWrittenAgainByTheNextStart() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("a"));
    disk.plan().add(FileFault.ERROR).on(FileOperation.SYNC).once();
    assertThrows(LogBrokenException.class, log::sync);
    disk.kill();
    // The system still has the record, and will never write it by itself.
    CommitLog again = LogFixture.open(disk);
    again.append(words("b"));
    again.sync();
    assertEquals(List.of(), disk.retriedSyncs());
    assertEquals(List.of("a", "b"), LogFixture.replayed(disk.crashClone()));
  }

  @Test
  void aStartThatCannotDeleteUnneededSegmentsLeavesNothingOpen() throws IOException {
    LogFixture.open(disk).close();
    disk.plan().add(FileFault.ERROR).on(FileOperation.DELETE).once();
    assertThrows(IOException.class, () -> LogFixture.open(disk));
    assertEquals(List.of(), disk.openFiles());
    LogFixture.open(disk).close();
  }

  @Test
  void aClosedLogTakesNothing() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("a"));
    log.close();
    log.close();
    assertThrows(IllegalStateException.class, () -> log.append(words("b")));
    assertEquals(log.end().segment(), log.sync().segment());
    assertEquals(List.of("a"), LogFixture.replayed(disk.crashClone()));
  }

  @Test
  void theLayoutIsThatOfTheGoldenFile() throws IOException {
    byte[] golden = resource("commit-log-segment-v2.hex");
    disk.overwrite(SegmentFormat.name(1), golden);
    assertEquals(List.of("alpha", "beta", "gamma"), LogFixture.replayed(disk));
    SimFileSystem fresh = new SimFileSystem();
    CommitLog log = LogFixture.open(fresh);
    log.append(words("alpha", "beta"));
    log.sync();
    log.append(words("gamma"));
    log.close();
    assertEquals(
        HexFormat.of().formatHex(golden),
        HexFormat.of().formatHex(fresh.content(SegmentFormat.name(1))));
  }

  @Test
  void aSegmentOfTheFirstVersionIsReadAndFollowed() throws IOException {
    disk.overwrite(SegmentFormat.name(1), resource("commit-log-segment-v1.hex"));
    CommitLog log = LogFixture.open(disk);
    log.append(words("delta"));
    disk.kill();
    assertEquals(List.of("alpha", "beta", "gamma", "delta"), LogFixture.replayed(disk));
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = CommitLogTest.class.getResourceAsStream("/golden/" + name)) {
      String text = new String(requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
      return HexFormat.of().parseHex(text.replaceAll("\\s", ""));
    }
  }

  @Test
  void otherFilesAreLeftAlone() throws IOException {
    disk.overwrite("LOCK", new byte[0]);
    disk.overwrite("segment-1.log", new byte[] {1});
    disk.overwrite(SegmentFormat.NEW_SEGMENT, new byte[] {1});
    CommitLog log = LogFixture.open(disk);
    assertTrue(disk.exists("LOCK"));
    assertTrue(disk.exists("segment-1.log"));
    assertFalse(disk.exists(SegmentFormat.NEW_SEGMENT), "a half-made segment is removed");
    log.dropped(new FamilyId(9, 9));
  }

  @Test
  void aRotationIsOneWriteAndWaitsForNothing() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("x".repeat(500)));
    long before = disk.operations();
    AppendedGroup next = requireNonNull(log.tryAppend(words("y".repeat(500))));
    assertEquals(2, next.last().segment());
    assertEquals(1, disk.operations() - before);
    assertFalse(log.isPrepared());
  }

  @Test
  void withoutTheNextSegmentNothingIsTakenUntilItIsThere() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("x".repeat(500)));
    log.append(words("y".repeat(500)));
    long before = disk.operations();
    assertNull(log.tryAppend(words("z".repeat(500))));
    assertEquals(before, disk.operations());
    log.append(words("a"));
    log.prepare();
    assertTrue(log.isPrepared());
    assertEquals(3, requireNonNull(log.tryAppend(words("z".repeat(500)))).last().segment());
    log.close();
    assertEquals(4, LogFixture.replayed(disk).size());
  }

  @Test
  void whatAWriteWithoutRoomLeftIsCutOffByWhoMayWait() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("a"));
    disk.plan().add(FileFault.SHORT_WRITE).once();
    assertNull(log.tryAppend(words("b", "b")));
    assertNull(log.tryAppend(words("c")), "nothing goes behind half of a write");
    assertThrows(LogRefusedException.class, () -> log.append(words("b", "b")));
    assertNotNull(log.tryAppend(words("d")));
    log.sync();
    assertEquals(List.of("a", "d"), LogFixture.replayed(disk.crashClone()));
  }

  @Test
  void aSyncMakesWhatWasLeftDurableFirst() throws IOException {
    CommitLog log = LogFixture.open(disk);
    log.append(words("x".repeat(500)));
    log.append(words("y".repeat(500)));
    assertEquals(List.of(), LogFixture.replayed(disk.crashClone()));
    List<List<String>> kept = new ArrayList<>();
    disk.afterEach(() -> kept.add(replayedOrNothing(disk.crashClone())));
    log.sync();
    String x = "x".repeat(500);
    String y = "y".repeat(500);
    assertEquals(List.of(List.of(x), List.of(x), List.of(x, y)), kept, "sync, seal, sync");
  }

  private static List<String> replayedOrNothing(SimFileSystem files) {
    try {
      return LogFixture.replayed(files);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
