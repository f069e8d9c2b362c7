package dev.colonnade.server.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.node.platform.SeededRandom;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The simulated disk when failures are injected. */
final class SimFileSystemFaultsTest {
  private final SimFileSystem disk = new SimFileSystem();

  @Test
  void aRuleHoldsForItsOperationsItsFilesAndItsTimes() throws IOException {
    disk.plan()
        .add(FileFault.ERROR)
        .on(FileOperation.WRITE)
        .where(path -> path.startsWith("log"))
        .from(2)
        .times(2);
    WritableFile log = disk.create("log1");
    WritableFile other = disk.create("other");
    log.write(bytes(1));
    other.write(bytes(1));
    assertThrows(InjectedFaultException.class, () -> log.write(bytes(2)));
    other.write(bytes(2));
    assertThrows(InjectedFaultException.class, () -> log.write(bytes(3)));
    log.write(bytes(4));
    log.sync();
    assertEquals(2, disk.plan().fired());
  }

  @Test
  void aFullDiskSaysSoAndKeepsWhatFitted() throws IOException {
    disk.capacityBytes(10);
    WritableFile file = disk.create("a");
    file.write(bytes(8));
    assertEquals(2, disk.usableBytes());
    assertThrows(NoSpaceException.class, () -> file.write(bytes(4)));
    assertEquals(10, file.size());
    file.truncate(8);
    file.write(bytes(2));
    disk.capacityBytes(100);
    file.write(bytes(4));
    assertEquals(14, file.size());
  }

  @Test
  void noSpaceByPlanWritesNothingAndAShortWriteHalf() throws IOException {
    WritableFile file = disk.create("a");
    disk.plan().add(FileFault.NO_SPACE).once();
    assertThrows(NoSpaceException.class, () -> file.write(bytes(4)));
    assertEquals(0, file.size());
    disk.plan().add(FileFault.SHORT_WRITE).once();
    assertThrows(NoSpaceException.class, () -> file.write(bytes(4)));
    assertEquals(2, file.size());
    file.sync();
  }

  @Test
  void aReadOnlyDiskStillReads() throws IOException {
    WritableFile file = disk.create("a");
    file.write(bytes(1));
    disk.plan().add(FileFault.READ_ONLY);
    assertThrows(InjectedFaultException.class, () -> file.write(bytes(1)));
    assertThrows(InjectedFaultException.class, () -> disk.create("b"));
    assertThrows(InjectedFaultException.class, () -> disk.delete("a"));
    assertArrayEquals(new byte[] {0}, read("a", 1));
  }

  @Test
  void withoutDescriptorsOpenFilesGoOn() throws IOException {
    WritableFile file = disk.create("a");
    disk.plan().add(FileFault.NO_DESCRIPTORS);
    assertThrows(InjectedFaultException.class, () -> disk.open("a"));
    assertThrows(InjectedFaultException.class, () -> disk.create("b"));
    file.write(bytes(1));
    file.sync();
  }

  @Test
  void otherWorkGoesOnWhileAnOperationStalls() throws IOException {
    SimClock clock = new SimClock();
    SimScheduler scheduler = new SimScheduler(clock);
    disk.stallsWith(scheduler::stall);
    WritableFile file = disk.create("a");
    disk.plan().add(FileFault.STALL).on(FileOperation.SYNC).lasting(Duration.ofSeconds(7));
    List<String> done = new ArrayList<>();
    scheduler.submit(
        Stage.LOG,
        () -> {
          try {
            file.sync();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          done.add("synced");
        });
    scheduler.submit(Stage.LOG, () -> done.add("next of the stage"));
    scheduler.after(Duration.ofSeconds(3), Stage.READ, () -> done.add("read"));
    scheduler.runUntilIdle();
    assertEquals(List.of("read", "synced", "next of the stage"), done);
    assertEquals(Duration.ofSeconds(7).toNanos(), clock.monotonicNanos());
    assertEquals(List.of(), scheduler.failures());
  }

  @Test
  void silentDamageKeepsTheLength() throws IOException {
    Map<FileFault, byte[]> expected = new TreeMap<>();
    expected.put(FileFault.FLIPPED_BIT, new byte[] {1, 2, 2, 4});
    expected.put(FileFault.LOST_WRITE, new byte[4]);
    expected.put(FileFault.MISDIRECTED_WRITE, new byte[] {3, 4, 1, 2});
    for (Map.Entry<FileFault, byte[]> fault : expected.entrySet()) {
      WritableFile file = disk.create(fault.getKey().name());
      disk.plan().add(fault.getKey()).once();
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
      assertArrayEquals(fault.getValue(), disk.content(fault.getKey().name()));
    }
  }

  @Test
  void aReadCanFlipABitOnce() throws IOException {
    disk.overwrite("a", new byte[] {1, 2, 3});
    disk.plan().add(FileFault.FLIPPED_BIT).on(FileOperation.READ).once();
    assertArrayEquals(new byte[] {1, 3, 3}, read("a", 3));
    assertArrayEquals(new byte[] {1, 2, 3}, read("a", 3));
  }

  @Test
  void aLostSyncIsNoneAfterACrash() throws IOException {
    WritableFile file = disk.create("a");
    disk.syncDirectory("");
    file.write(bytes(3));
    disk.plan().add(FileFault.LOST_SYNC).once();
    file.sync();
    assertEquals(0, disk.crashClone().content("a").length);
    file.sync();
    assertEquals(3, disk.crashClone().content("a").length);
  }

  @Test
  void sectorsCanBeTakenFromElsewhere() throws IOException {
    byte[] content = new byte[3 * DiskFile.SECTOR_BYTES];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i / DiskFile.SECTOR_BYTES);
    }
    disk.overwrite("a", content);
    disk.copySector("a", 2, "a", 0);
    assertEquals(2, disk.content("a")[5]);
    assertEquals(1, disk.content("a")[DiskFile.SECTOR_BYTES]);
  }

  @Test
  void aCrashCanTearWithinTheUnsyncedBytesInManyWays() throws IOException {
    WritableFile file = disk.create("a");
    disk.syncDirectory("");
    byte[] content = new byte[5 * DiskFile.SECTOR_BYTES];
    Arrays.fill(content, (byte) 7);
    file.write(ByteBuffer.wrap(content, 0, 100));
    file.sync();
    file.write(ByteBuffer.wrap(content, 100, content.length - 100));
    boolean hole = false;
    boolean rubbish = false;
    for (int seed = 0; seed < 100; seed++) {
      byte[] after = disk.crashClone(new SeededRandom(seed)).content("a");
      assertArrayEquals(Arrays.copyOf(content, 100), Arrays.copyOf(after, 100), "seed " + seed);
      int last = after.length - 1;
      for (int at = 100; at < last; at++) {
        hole |= after[at] == 0 && after[last] == 7;
        rubbish |= after[at] != 0 && after[at] != 7;
      }
    }
    assertTrue(hole && rubbish, "hole " + hole + ", rubbish " + rubbish);
  }

  @Test
  void openFilesAndRepeatedSyncsAreKnown() throws IOException {
    WritableFile file = disk.create("a");
    assertEquals(List.of("a"), disk.openFiles());
    disk.plan().add(FileFault.ERROR).on(FileOperation.SYNC).once();
    assertThrows(InjectedFaultException.class, file::sync);
    assertEquals(List.of(), disk.retriedSyncs());
    file.sync();
    assertEquals(List.of("a"), disk.retriedSyncs());
    file.close();
    assertEquals(List.of(), disk.openFiles());
  }

  @Test
  void theOpenFilesOfAProcessEndWithIt() throws IOException {
    WritableFile file = disk.create("a");
    disk.kill();
    assertThrows(IOException.class, () -> file.write(bytes(1)));
    assertEquals(List.of(), disk.openFiles());
  }

  @Test
  void theDiskCanBeClonedAfterEachChange() throws IOException {
    List<Integer> sizes = new ArrayList<>();
    disk.afterEach(() -> sizes.add(names(disk.copy())));
    disk.create("a").close();
    disk.create("b").write(bytes(1));
    assertFalse(disk.exists("c"));
    assertEquals(List.of(1, 2, 2), sizes);
  }

  private static int names(SimFileSystem files) {
    try {
      return files.list("").size();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static ByteBuffer bytes(int count) {
    return ByteBuffer.allocate(count);
  }

  private byte[] read(String path, int length) throws IOException {
    byte[] bytes = new byte[length];
    try (ReadableFile file = disk.open(path)) {
      file.read(0, ByteBuffer.wrap(bytes));
    }
    return bytes;
  }
}
