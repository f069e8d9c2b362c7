package dev.colonnade.server.node.platform;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.LockedException;
import dev.colonnade.server.sim.FileSystemContract;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real files, and what only real files can show. */
final class OsFileSystemTest extends FileSystemContract {
  @TempDir private Path directory;

  @Override
  protected FileSystem emptyFileSystem() throws IOException {
    return OsFileSystem.open(directory.resolve("made/on/demand"));
  }

  @Test
  void onlyTheOwnerMayRead() throws IOException {
    assumeTrue(directory.getFileSystem().supportedFileAttributeViews().contains("posix"));
    Path root = directory.resolve("private");
    OsFileSystem files = OsFileSystem.open(root);
    files.create("file").close();
    files.createDirectories("inner");
    files.lock("LOCK").close();
    assertEquals("rwx------", permissions(root));
    assertEquals("rw-------", permissions(root.resolve("file")));
    assertEquals("rw-------", permissions(root.resolve("LOCK")));
    assertEquals("rwx------", permissions(root.resolve("inner")));
  }

  @Test
  void symbolicLinksAreNotFollowed() throws IOException {
    Path outside = Files.writeString(directory.resolve("outside"), "secret");
    Path root = Files.createDirectory(directory.resolve("root"));
    OsFileSystem files = OsFileSystem.open(root);
    Files.createSymbolicLink(root.resolve("link"), outside);
    assertThrows(IOException.class, () -> files.open("link"));
    assertThrows(IOException.class, () -> files.openLasting("link"));
    assertThrows(IOException.class, () -> files.append("link"));
    assertEquals("secret", Files.readString(outside));
  }

  @Test
  void whatWasJustWrittenIsReadWithoutWaitingForTheDisk() throws IOException {
    assumeTrue(System.getProperty("os.name", "").equals("Linux"));
    OsFileSystem files = OsFileSystem.open(directory);
    byte[] content = new byte[20_000];
    Arrays.fill(content, (byte) 7);
    Files.write(directory.resolve("file"), content);
    try (FileSystem.ReadableFile file = files.openLasting("file")) {
      ByteBuffer target = ByteBuffer.allocateDirect(8_192);
      assertTrue(file.readIfInMemory(5_000, target));
      assertFalse(target.hasRemaining());
      assertEquals(7, target.get(8_191));
    }
  }

  @Test
  void readsThatMustNotWaitRunBesideTheClosingOfTheirFile() throws Exception {
    Path written = Files.write(directory.resolve("file"), new byte[] {7});
    for (int round = 0; round < 200; round++) {
      PageCacheReader opened = PageCacheReader.open(written);
      assumeTrue(opened != null);
      PageCacheReader reader = requireNonNull(opened);
      CompletableFuture<@Nullable Void> reading =
          CompletableFuture.runAsync(
              () -> {
                ByteBuffer target = ByteBuffer.allocateDirect(1);
                while (reader.read(0, target)) {
                  assertEquals(7, target.get(0));
                  target.clear();
                }
              });
      reader.close();
      reading.get(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void aSecondFileSystemOnTheSameRootMeetsTheSameLock() throws IOException {
    OsFileSystem first = OsFileSystem.open(directory);
    OsFileSystem second = OsFileSystem.open(directory.resolve("../" + directory.getFileName()));
    Closeable held = first.lock("LOCK");
    LockedException refused = assertThrows(LockedException.class, () -> second.lock("LOCK"));
    assertTrue(String.valueOf(refused.getMessage()).contains("LOCK"));
    held.close();
    second.lock("LOCK").close();
  }

  @Test
  void aRootThatIsAFileIsRefused() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    assertThrows(IOException.class, () -> OsFileSystem.open(file));
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
