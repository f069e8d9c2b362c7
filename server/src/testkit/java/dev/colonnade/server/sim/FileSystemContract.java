package dev.colonnade.server.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileExistsException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.LockedException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link FileSystem} promises while nothing fails. */
public abstract class FileSystemContract {
  private FileSystem files;

  /** A file system with an empty root. */
  protected abstract FileSystem emptyFileSystem() throws IOException;

  @BeforeEach
  final void makeFileSystem() throws IOException {
    files = emptyFileSystem();
  }

  @Test
  void readsBackWhatWasWritten() throws IOException {
    try (WritableFile file = files.create("a")) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 2));
      file.write(ByteBuffer.wrap(new byte[] {5}));
      assertEquals(3, file.size());
      file.sync();
    }
    files.syncDirectory("");
    assertArrayEquals(new byte[] {2, 3, 5}, read("a"));
  }

  @Test
  void consumesTheSourceAndFillsTheTarget() throws IOException {
    ByteBuffer source = ByteBuffer.allocateDirect(3_000_000);
    source.put(2_999_999, (byte) 9).limit(3_000_000);
    try (WritableFile file = files.create("a")) {
      file.write(source);
    }
    assertFalse(source.hasRemaining());
    try (ReadableFile file = files.open("a")) {
      ByteBuffer target = ByteBuffer.allocate(3_000_002).position(1).limit(3_000_001);
      file.read(0, target);
      assertEquals(3_000_001, target.position());
      assertEquals(3_000_001, target.limit());
      assertEquals(9, target.get(3_000_000));
    }
  }

  @Test
  void aReadThatMustNotWaitFindsTheSameOrNothing() throws IOException {
    byte[] content = new byte[100_000];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) ((i * 31) >> 3);
    }
    try (WritableFile file = files.create("a")) {
      file.write(ByteBuffer.wrap(content));
    }
    ReadableFile file = files.openLasting("a");
    for (int[] part :
        new int[][] {{0, 100_000}, {0, 1}, {4_095, 2}, {99_999, 1}, {12_345, 8_192}}) {
      ByteBuffer target = ByteBuffer.allocateDirect(part[1] + 7).position(3).limit(3 + part[1]);
      if (file.readIfInMemory(part[0], target)) {
        assertFalse(target.hasRemaining());
        byte[] read = new byte[part[1]];
        target.get(3, read);
        assertArrayEquals(Arrays.copyOfRange(content, part[0], part[0] + part[1]), read);
      } else {
        assertEquals(3, target.position());
      }
    }
    ByteBuffer target = ByteBuffer.allocateDirect(2);
    assertFalse(file.readIfInMemory(99_999, target), "the file ends before the target is full");
    assertEquals(0, target.position());
    file.close();
    assertFalse(file.readIfInMemory(0, target), "the file is closed");
  }

  @Test
  void appendGoesOnAfterTheLastByte() throws IOException {
    write("a", 1, 2);
    try (WritableFile file = files.append("a")) {
      assertEquals(2, file.size());
      file.write(ByteBuffer.wrap(new byte[] {3}));
      assertEquals(3, file.size());
    }
    assertArrayEquals(new byte[] {1, 2, 3}, read("a"));
  }

  @Test
  void aReaderSeesWhatIsAppendedLater() throws IOException {
    try (WritableFile writer = files.create("a");
        ReadableFile reader = files.open("a")) {
      assertEquals(0, reader.size());
      writer.write(ByteBuffer.wrap(new byte[] {7}));
      assertEquals(1, reader.size());
    }
  }

  @Test
  void truncateCutsAndWritingGoesOnThere() throws IOException {
    try (WritableFile file = files.create("a")) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      file.truncate(1);
      assertEquals(1, file.size());
      file.write(ByteBuffer.wrap(new byte[] {9}));
      assertThrows(IllegalArgumentException.class, () -> file.truncate(3));
    }
    assertArrayEquals(new byte[] {1, 9}, read("a"));
  }

  @Test
  void readsAtAPositionAndNotPastTheEnd() throws IOException {
    write("a", 1, 2, 3);
    try (ReadableFile file = files.open("a")) {
      byte[] target = new byte[2];
      file.read(1, ByteBuffer.wrap(target));
      assertArrayEquals(new byte[] {2, 3}, target);
      assertThrows(EOFException.class, () -> file.read(2, ByteBuffer.wrap(target)));
      assertThrows(EOFException.class, () -> file.read(9, ByteBuffer.wrap(target)));
    }
  }

  @Test
  void refusesToCreateWhatExists() throws IOException {
    write("a", 1);
    assertThrows(FileExistsException.class, () -> files.create("a"));
    files.createDirectories("d");
    assertThrows(FileExistsException.class, () -> files.create("d"));
    assertArrayEquals(new byte[] {1}, read("a"));
  }

  @Test
  void missingNamesAreNotFound() throws IOException {
    files.createDirectories("d");
    assertThrows(FileNotFoundException.class, () -> files.open("a"));
    assertThrows(FileNotFoundException.class, () -> files.open("d"));
    assertThrows(FileNotFoundException.class, () -> files.append("a"));
    assertThrows(FileNotFoundException.class, () -> files.create("no/a"));
    assertThrows(FileNotFoundException.class, () -> files.delete("a"));
    assertThrows(FileNotFoundException.class, () -> files.rename("a", "b"));
    assertThrows(FileNotFoundException.class, () -> files.list("no"));
    assertThrows(FileNotFoundException.class, () -> files.syncDirectory("no"));
    write("f", 1);
    assertThrows(FileNotFoundException.class, () -> files.list("f"));
    assertThrows(FileNotFoundException.class, () -> files.rename("f", "no/f"));
  }

  @Test
  void renameReplacesTheTarget() throws IOException {
    write("a", 1);
    write("b", 2);
    files.rename("a", "b");
    assertFalse(files.exists("a"));
    assertArrayEquals(new byte[] {1}, read("b"));
  }

  @Test
  void renameMovesBetweenDirectories() throws IOException {
    files.createDirectories("x/y");
    write("a", 1);
    files.rename("a", "x/y/b");
    files.syncDirectory("");
    files.syncDirectory("x/y");
    assertArrayEquals(new byte[] {1}, read("x/y/b"));
    assertEquals(List.of("x"), files.list(""));
  }

  @Test
  void aLinkIsASecondNameOfTheSameBytes() throws IOException {
    files.createDirectories("d");
    write("a", 1, 2);
    files.link("a", "d/b");
    files.syncDirectory("d");
    try (WritableFile file = files.append("a")) {
      file.write(ByteBuffer.wrap(new byte[] {3}));
    }
    assertArrayEquals(new byte[] {1, 2, 3}, read("d/b"));
    files.delete("a");
    assertArrayEquals(new byte[] {1, 2, 3}, read("d/b"), "one name is left");
    write("a", 9);
    assertArrayEquals(new byte[] {1, 2, 3}, read("d/b"), "a new file of the old name is another");
  }

  @Test
  void aLinkReplacesNothingAndNeedsAFileAndADirectory() throws IOException {
    files.createDirectories("d");
    write("a", 1);
    write("b", 2);
    assertThrows(FileExistsException.class, () -> files.link("a", "b"));
    assertThrows(FileExistsException.class, () -> files.link("a", "d"));
    assertThrows(FileNotFoundException.class, () -> files.link("c", "e"));
    assertThrows(FileNotFoundException.class, () -> files.link("d", "e"));
    assertThrows(FileNotFoundException.class, () -> files.link("a", "no/b"));
    assertArrayEquals(new byte[] {2}, read("b"));
  }

  @Test
  void aDeletedFileStaysReadableThroughItsHandle() throws IOException {
    write("a", 1, 2);
    try (ReadableFile file = files.open("a")) {
      files.delete("a");
      assertFalse(files.exists("a"));
      byte[] target = new byte[2];
      file.read(0, ByteBuffer.wrap(target));
      assertArrayEquals(new byte[] {1, 2}, target);
    }
  }

  @Test
  void deletesOnlyEmptyDirectories() throws IOException {
    files.createDirectories("d");
    write("d/a", 1);
    assertThrows(IOException.class, () -> files.delete("d"));
    files.delete("d/a");
    files.delete("d");
    assertFalse(files.exists("d"));
  }

  @Test
  void createDirectoriesIsIdempotentAndStopsAtFiles() throws IOException {
    files.createDirectories("a/b/c");
    files.createDirectories("a/b/c");
    files.createDirectories("");
    assertTrue(files.exists("a/b/c"));
    write("f", 1);
    assertThrows(IOException.class, () -> files.createDirectories("f/d"));
  }

  @Test
  void listIsSortedAndNamesOnly() throws IOException {
    for (String name : List.of("b", "a", "_", "A", "10", "9")) {
      write(name);
    }
    files.createDirectories("c/inner");
    assertEquals(List.of("10", "9", "A", "_", "a", "b", "c"), files.list(""));
    assertEquals(List.of("inner"), files.list("c"));
  }

  @Test
  void pathsThatCouldEscapeAreRefused() {
    for (String path :
        List.of("..", ".", "/a", "a/", "a//b", "a/../b", "a\\b", "a b", "ä", "a\0", "~/a:b")) {
      assertThrows(IllegalArgumentException.class, () -> files.create(path), path);
      assertThrows(IllegalArgumentException.class, () -> files.open(path), path);
      assertThrows(IllegalArgumentException.class, () -> files.append(path), path);
      assertThrows(IllegalArgumentException.class, () -> files.exists(path), path);
      assertThrows(IllegalArgumentException.class, () -> files.delete(path), path);
      assertThrows(IllegalArgumentException.class, () -> files.list(path), path);
      assertThrows(IllegalArgumentException.class, () -> files.createDirectories(path), path);
      assertThrows(IllegalArgumentException.class, () -> files.rename(path, "b"), path);
      assertThrows(IllegalArgumentException.class, () -> files.lock(path), path);
      assertThrows(IllegalArgumentException.class, () -> files.link(path, "b"), path);
      assertThrows(IllegalArgumentException.class, () -> files.describe(path), path);
    }
    assertThrows(IllegalArgumentException.class, () -> files.create(""));
    assertThrows(IllegalArgumentException.class, () -> files.create("x".repeat(256)));
  }

  @Test
  void theRenameTargetIsCheckedToo() throws IOException {
    write("a", 1);
    assertThrows(IllegalArgumentException.class, () -> files.rename("a", "../a"));
    assertThrows(IllegalArgumentException.class, () -> files.link("a", "../b"));
  }

  @Test
  void aLockIsExclusiveUntilItIsClosed() throws IOException {
    Closeable held = files.lock("LOCK");
    assertThrows(LockedException.class, () -> files.lock("LOCK"));
    assertThrows(LockedException.class, () -> files.lock("LOCK"));
    assertTrue(files.exists("LOCK"));
    held.close();
    Closeable again = files.lock("LOCK");
    held.close();
    assertThrows(LockedException.class, () -> files.lock("LOCK"), "closed twice by the first");
    again.close();
  }

  @Test
  void aClosedFileCannotBeUsed() throws IOException {
    WritableFile writer = files.create("a");
    writer.close();
    writer.close();
    assertThrows(IOException.class, () -> writer.write(ByteBuffer.allocate(1)));
    ReadableFile reader = files.open("a");
    reader.close();
    assertThrows(IOException.class, reader::size);
  }

  @Test
  void saysHowMuchRoomThereIs() throws IOException {
    assertTrue(files.usableBytes() > 0);
    assertTrue(files.describe("a").endsWith("a"));
  }

  private void write(String path, int... bytes) throws IOException {
    ByteBuffer source = ByteBuffer.allocate(bytes.length);
    for (int b : bytes) {
      source.put((byte) b);
    }
    try (WritableFile file = files.create(path)) {
      file.write(source.flip());
    }
  }

  private byte[] read(String path) throws IOException {
    try (ReadableFile file = files.open(path)) {
      ByteBuffer target = ByteBuffer.allocate((int) file.size());
      file.read(0, target);
      return target.array();
    }
  }
}
