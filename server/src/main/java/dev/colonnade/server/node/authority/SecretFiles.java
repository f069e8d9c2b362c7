package dev.colonnade.server.node.authority;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Writes files that only their owner may read (mode 600), in directories of the same kind. */
final class SecretFiles {

  private SecretFiles() {}

  /**
   * Writes a new file.
   *
   * @throws FileAlreadyExistsException if there is one
   */
  static void create(Path file, String text) throws IOException {
    try (var channel =
        Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            rights(file, "rw-------"))) {
      channel.write(StandardCharsets.US_ASCII.encode(text));
    }
  }

  /** Replaces a file, so that a reader finds either the old one or the new one. */
  static void replace(Path file, String text) throws IOException {
    Path written = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(written);
    create(written, text);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Makes a directory unless there is one. */
  static void directory(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.createDirectory(directory, rights(directory, "rwx------"));
    }
  }

  private static FileAttribute<?>[] rights(Path file, String text) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))
        }
        : new FileAttribute<?>[0];
  }
}
