package dev.colonnade.cli.shell.terminal;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where typed statements are kept from one shell to the next. They can hold data, so only the owner
 * may read the file.
 */
final class HistoryFile {

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<?> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private HistoryFile() {}

  /**
   * {@code COLONNADE_HISTORY}, or {@code colonnade/history} under {@code XDG_STATE_HOME}, or {@code
   * ~/.colonnade/history}. Empty if the variable is set to nothing, which means no history.
   */
  static Optional<Path> place(Map<String, String> environment, String home) {
    String chosen = environment.get("COLONNADE_HISTORY");
    if (chosen != null) {
      return chosen.isBlank() ? Optional.empty() : Optional.of(Path.of(chosen));
    }
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    return Optional.of(
        state.isBlank()
            ? Path.of(home, ".colonnade", "history")
            : Path.of(state, "colonnade", "history"));
  }

  /**
   * Makes the file if it is missing, and readable for its owner only.
   *
   * @throws IOException if it cannot be written
   */
  static void prepare(Path file) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    if (directory != null) {
      Files.createDirectories(
          directory,
          posix ? new FileAttribute<?>[] {OWNER_ONLY_DIRECTORY} : new FileAttribute<?>[0]);
    }
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isRegularFile(file) || !Files.isWritable(file)) {
        throw e;
      }
    }
    if (posix && !Files.getPosixFilePermissions(file).equals(OWNER_ONLY)) {
      Files.setPosixFilePermissions(file, OWNER_ONLY);
    }
  }
}
