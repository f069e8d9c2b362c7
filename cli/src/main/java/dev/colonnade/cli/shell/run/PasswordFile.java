package dev.colonnade.cli.shell.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;

/** A file with a password and nothing else. */
public final class PasswordFile {

  /** Longer than any password, in UTF-8, with a line end. */
  private static final long MAX_BYTES = 1_100;

  private PasswordFile() {}

  /**
   * The password, without a line end behind it.
   *
   * @throws IOException if it cannot be read, or every user of the machine could, or it is too long
   *     for a password; the message says which file, and what to do
   */
  public static String read(Path file) throws IOException {
    check(file);
    String text = Files.readString(file, StandardCharsets.UTF_8).replaceFirst("\\R\\z", "");
    if (text.isEmpty()) {
      throw new IOException(file + " is empty");
    }
    return text;
  }

  /**
   * Whether the file can serve, without reading it.
   *
   * @throws IOException as {@link #read}
   */
  public static void check(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException(file + " is not there, or cannot be read");
    }
    if (Files.getFileStore(file).supportsFileAttributeView("posix")
        && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
      throw new IOException(file + " can be read by every user: chmod 600 " + file);
    }
    // A pipe, as of <(…), has no size.
    if (Files.isRegularFile(file) && Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " is longer than a password can be");
    }
  }
}
