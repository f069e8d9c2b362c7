package dev.colonnade.server.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.node.platform.SeededRandom;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract, and what is lost in a power failure. */
final class SimFileSystemTest extends FileSystemContract {
  private final SimFileSystem disk = new SimFileSystem();

  @Override
  protected FileSystem emptyFileSystem() {
    return disk;
  }

  @Test
  void unsyncedBytesAreForgotten() throws IOException {
    WritableFile file = disk.create("a");
    file.write(ByteBuffer.wrap(new byte[] {1, 2}));
    file.sync();
    disk.syncDirectory("");
    file.write(ByteBuffer.wrap(new byte[] {3}));
    assertArrayEquals(new byte[] {1, 2}, disk.crashClone().content("a"));
    assertArrayEquals(new byte[] {1, 2, 3}, disk.content("a"));
  }

  @Test
  void aSyncedFileWithoutASyncedNameIsForgotten() throws IOException {
    WritableFile file = disk.create("a");
    file.write(ByteBuffer.wrap(new byte[] {1}));
    file.sync();
    assertFalse(disk.crashClone().exists("a"));
    disk.syncDirectory("");
    assertTrue(disk.crashClone().exists("a"));
  }

  @Test
  void unsyncedRenamesDeletionsAndDirectoriesAreForgotten() throws IOException {
    disk.create("a").close();
    disk.create("b").close();
    disk.syncDirectory("");
    disk.rename("a", "c");
    disk.delete("b");
    disk.createDirectories("d/e");
    assertEquals(List.of("a", "b"), disk.crashClone().list(""));
    disk.syncDirectory("");
    assertEquals(List.of("c", "d"), disk.crashClone().list(""));
    assertEquals(List.of(), disk.crashClone().list("d"));
  }

  @Test
  void anUnsyncedTruncationIsForgotten() throws IOException {
    WritableFile file = disk.create("a");
    disk.syncDirectory("");
    file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    file.sync();
    file.truncate(1);
    assertArrayEquals(new byte[] {1, 2, 3}, disk.crashClone().content("a"));
    file.sync();
    assertArrayEquals(new byte[] {1}, disk.crashClone().content("a"));
  }

  @Test
  void aRandomCrashKeepsAllThatWasSyncedAndAnyPrefixOfTheRest() throws IOException {
    WritableFile file = disk.create("a");
    file.write(ByteBuffer.wrap(new byte[] {1, 2}));
    file.sync();
    disk.syncDirectory("");
    file.write(ByteBuffer.wrap(new byte[] {3, 4}));
    disk.rename("a", "b");
    disk.create("c").close();
    Set<String> outcomes = new HashSet<>();
    for (int seed = 0; seed < 200; seed++) {
      SimFileSystem after = disk.crashClone(new SeededRandom(seed));
      String name = after.exists("a") ? "a" : "b";
      byte[] content = after.content(name);
      assertTrue(content.length >= 2 && content[0] == 1 && content[1] == 2, "seed " + seed);
      outcomes.add(after.list("") + " " + content.length + content[content.length - 1]);
    }
    // Two names, with c or without; 2, 3 or 4 bytes, the last ones possibly zero.
    assertTrue(outcomes.size() >= 16, outcomes.toString());
  }

  @Test
  void stopsAfterTheGivenOperation() throws IOException {
    WritableFile file = disk.create("a");
    assertEquals(1, disk.operations());
    disk.stopAfter(2);
    file.write(ByteBuffer.wrap(new byte[] {1}));
    assertThrows(PowerLostException.class, file::sync);
    assertThrows(PowerLostException.class, () -> disk.list(""));
    assertEquals(2, disk.operations());
  }

  @Test
  void aFailedWriteLeavesHalfAndAFailedSyncLosesForGood() throws IOException {
    WritableFile file = disk.create("a");
    disk.syncDirectory("");
    disk.failAt(3);
    assertThrows(
        InjectedFaultException.class, () -> file.write(ByteBuffer.wrap(new byte[] {1, 2})));
    assertEquals(1, file.size());
    disk.failAt(4);
    assertThrows(InjectedFaultException.class, file::sync);
    file.write(ByteBuffer.wrap(new byte[] {3}));
    file.sync();
    assertArrayEquals(new byte[] {0, 3}, disk.crashClone().content("a"));
  }

  @Test
  void theEndOfAProcessReleasesItsLocksOnly() throws IOException {
    disk.lock("LOCK");
    WritableFile file = disk.create("a");
    file.write(ByteBuffer.wrap(new byte[] {1}));
    disk.kill();
    disk.lock("LOCK").close();
    assertArrayEquals(new byte[] {1}, disk.content("a"));
    assertFalse(disk.crashClone().exists("a"));
  }

  @Test
  void damageIsDurable() throws IOException {
    disk.overwrite("a", new byte[] {1, 2});
    disk.flipBit("a", 9);
    assertArrayEquals(new byte[] {1, 0}, disk.crashClone().content("a"));
  }
}
