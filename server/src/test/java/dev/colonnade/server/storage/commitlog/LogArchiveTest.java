package dev.colonnade.server.storage.commitlog;

import static dev.colonnade.server.storage.commitlog.LogFixture.POSTS;
import static dev.colonnade.server.storage.commitlog.LogFixture.SMALL;
import static dev.colonnade.server.storage.commitlog.LogFixture.words;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SubdirectoryFiles;
import dev.colonnade.server.storage.commitlog.LogFixture.Replayed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments are archived before they are deleted, and read from there. */
final class LogArchiveTest {

  private static final String NODE = "00112233445566778899aabbccddeeff";
  private static final long SEED = 20_261_127L;
  private static final long WAITING_BYTES = 3 * SMALL.segmentBytes();

  private final SimFileSystem archive = new SimFileSystem();

  private static CommitLog open(FileSystem files, FileSystem archive) throws IOException {
    return open(files, archive, WAITING_BYTES);
  }

  private static CommitLog open(FileSystem files, FileSystem archive, long waitingBytes)
      throws IOException {
    return CommitLog.open(
        files,
        SegmentInventory.open(files),
        SMALL,
        LogPosition.START,
        Optional.of(new LogArchive(archive, NODE, waitingBytes)),
        new Replayed());
  }

  private static ArchivedLog.Contents read(FileSystem archive, List<String> words)
      throws IOException {
    Replayed replayed = new Replayed();
    ArchivedLog.Contents contents =
        ArchivedLog.read(new SubdirectoryFiles(archive, NODE), LogPosition.START, replayed);
    words.addAll(replayed.words);
    return contents;
  }

  private static String word(int number) {
    return "x".repeat(400) + number;
  }

  @Test
  void aSegmentIsArchivedBeforeItIsDeleted() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = open(disk, archive);
    List<String> written = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      written.add(word(i));
      log.append(words(word(i)));
    }
    log.sync();
    log.flushed(POSTS, log.end());
    assertEquals(3, log.figures().segments(), "no family needs the first two");
    assertTrue(log.figures().archive().waitingBytes() > 1_600);
    assertFalse(log.isOverLimit());

    log.archive();
    assertEquals(1, log.figures().segments());
    assertEquals(new LogFigures.Archive(2, 0, 0, 0), log.figures().archive());
    List<String> found = new ArrayList<>();
    assertEquals(List.of(), read(archive.crashClone(), found).holes());
    assertEquals(written.subList(0, 4), found);

    log.close();
    found.clear();
    assertEquals(List.of(), read(archive.crashClone(), found).holes());
    assertEquals(written, found, "a stop archives what was written last, too");
  }

  @Test
  void whatHappenedToALogIsInItsArchive() throws IOException {
    Random random = new Random(SEED);
    for (int run = 0; run < 60; run++) {
      SimFileSystem disk = new SimFileSystem();
      SimFileSystem kept = new SimFileSystem();
      List<String> survived = new ArrayList<>();
      int next = 0;
      for (int start = 0; start < 4; start++) {
        CommitLog log = open(disk, kept, Long.MAX_VALUE);
        List<String> unsynced = new ArrayList<>();
        for (int step = random.nextInt(25); step > 0; step--) {
          switch (random.nextInt(8)) {
            case 0 -> log.archive();
            case 1 -> {
              log.sync();
              survived.addAll(unsynced);
              unsynced.clear();
              log.flushed(POSTS, log.end());
            }
            default -> {
              String word = "w" + next++ + "-" + "x".repeat(random.nextInt(400));
              unsynced.add(word);
              log.append(words(word));
            }
          }
        }
        if (random.nextBoolean()) {
          log.close();
        } else {
          // Only the process ends, so the system has all of it.
          disk.kill();
        }
        survived.addAll(unsynced);
      }
      open(disk, kept, Long.MAX_VALUE).close();
      List<String> found = new ArrayList<>();
      ArchivedLog.Contents contents = read(kept.crashClone(), found);
      assertEquals(survived, found, "seed " + SEED + ", run " + run);
      assertEquals(List.of(), contents.holes());
    }
  }

  @Test
  void anArchiveThatFailsKeepsSegmentsUpToABoundAndTheGapIsFound() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = open(disk, archive);
    log.append(words(word(0)));
    log.append(words(word(1)));
    log.append(words(word(2)));
    log.sync();
    log.archive();
    assertEquals(1, log.figures().archive().segments());

    archive.plan().add(FileFault.ERROR).on(FileOperation.CREATE);
    for (int i = 3; i < 12; i++) {
      log.append(words(word(i)));
      log.prepare();
      log.archive();
      log.flushed(POSTS, log.end());
      assertTrue(log.figures().archive().waitingBytes() <= WAITING_BYTES, "word " + i);
    }
    LogFigures.Archive figures = log.figures().archive();
    assertTrue(figures.failures() >= 4, figures.toString());
    assertEquals(1, figures.gaps(), figures.toString());

    archive.plan().clear();
    log.close();
    List<String> found = new ArrayList<>();
    ArchivedLog.Contents contents = read(archive, found);
    assertEquals(List.of(new ArchivedLog.Hole(2, 2)), contents.holes(), contents.toString());
    List<String> expected = new ArrayList<>(List.of(word(0), word(1)));
    for (int i = 4; i < 12; i++) {
      expected.add(word(i));
    }
    assertEquals(expected, found);
  }

  @Test
  void aTornRecordEndsTheLastSegmentAndDamageIsRefused() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    CommitLog log = open(disk, archive);
    for (int i = 0; i < 3; i++) {
      log.append(words(word(i)));
    }
    log.close();
    String last = NODE + "/" + SegmentFormat.name(2);
    byte[] bytes = archive.content(last);
    archive.overwrite(last, Arrays.copyOf(bytes, bytes.length - 200));
    List<String> found = new ArrayList<>();
    assertTrue(read(archive, found).droppedBytes() > 0);
    assertEquals(List.of(word(0), word(1)), found);

    archive.flipBit(NODE + "/" + SegmentFormat.name(1), 8 * 500);
    assertThrows(UnreadableFileException.class, () -> read(archive, new ArrayList<>()));
  }

  @Test
  void onOneVolumeTheArchiveTakesNoRoomAndAnotherSegmentOfThatNameStays(@TempDir Path directory)
      throws IOException {
    FileSystem disk = OsFileSystem.open(directory.resolve("log"));
    FileSystem kept = OsFileSystem.open(directory.resolve("archive"));
    CommitLog log = open(disk, kept);
    log.append(words("a"));
    log.close();
    Path there = directory.resolve("archive").resolve(NODE).resolve(SegmentFormat.name(1));
    Path here = directory.resolve("log").resolve(SegmentFormat.name(1));
    assertTrue(Files.isSameFile(here, there), "a link");

    FileSystem other = OsFileSystem.open(directory.resolve("other"));
    CommitLog second = open(other, kept);
    second.append(words("b"));
    second.close();
    assertEquals(new LogFigures.Archive(0, 1, 0, 0), second.figures().archive());
    List<String> found = new ArrayList<>();
    assertEquals(1, read(kept, found).segments());
    assertEquals(List.of("a"), found);
  }
}
