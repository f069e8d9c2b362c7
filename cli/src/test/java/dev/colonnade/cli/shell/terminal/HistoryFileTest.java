package dev.colonnade.cli.shell.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryFileTest {

  @TempDir private Path folder;

  @Test
  void standsInTheHomeUnlessTheEnvironmentSaysOtherwise() {
    assertEquals(
        Optional.of(Path.of("/home/alice/.colonnade/history")),
        HistoryFile.place(Map.of(), "/home/alice"));
    assertEquals(
        Optional.of(Path.of("/state/colonnade/history")),
        HistoryFile.place(Map.of("XDG_STATE_HOME", "/state"), "/home/alice"));
    assertEquals(
        Optional.of(Path.of("/x/y")),
        HistoryFile.place(Map.of("COLONNADE_HISTORY", "/x/y"), "/home/alice"));
    assertEquals(
        Optional.empty(), HistoryFile.place(Map.of("COLONNADE_HISTORY", ""), "/home/alice"));
  }

  @Test
  void noOtherUserMayReadIt() throws IOException {
    assumeTrue(folder.getFileSystem().supportedFileAttributeViews().contains("posix"));
    Path file = folder.resolve("new").resolve("history");

    HistoryFile.prepare(file);

    assertEquals("rw-------", permissions(file));
    assertEquals("rwx------", permissions(folder.resolve("new")));
  }

  @Test
  void fileThatOthersCouldReadIsClosedToThem() throws IOException {
    assumeTrue(folder.getFileSystem().supportedFileAttributeViews().contains("posix"));
    Path file = Files.createFile(folder.resolve("history"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

    HistoryFile.prepare(file);

    assertEquals("rw-------", permissions(file));
  }

  @Test
  void whatCannotBeAFileIsRefused() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));

    assertThrows(IOException.class, () -> HistoryFile.prepare(file.resolve("history")));
    assertThrows(IOException.class, () -> HistoryFile.prepare(folder));
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
