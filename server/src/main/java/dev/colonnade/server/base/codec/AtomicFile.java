package dev.colonnade.server.base.codec;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import java.io.IOException;

/**
 * Files that consist of a header only, and change by being replaced: after a crash the old one or
 * the new one exists. All methods block.
 */
public final class AtomicFile {

  private AtomicFile() {}

  /**
   * Reads the body.
   *
   * @throws java.io.FileNotFoundException if there is none
   * @throws UnreadableFileException if it is damaged, or of another release
   */
  public static byte[] read(FileSystem files, String path, FileFormat format) throws IOException {
    try (ReadableFile file = files.open(path)) {
      return FileHeader.read(file, files.describe(path), format).body();
    }
  }

  /**
   * Writes or replaces a file; durable when it returns.
   *
   * @param directory where it lies; empty for the root
   * @param temporary its name while it is written
   */
  public static void write(
      FileSystem files,
      String directory,
      String temporary,
      String name,
      FileFormat format,
      ByteWriter body)
      throws IOException {
    ByteWriter out = new ByteWriter(64);
    FileHeader.write(out, format, body.toByteArray());
    String prefix = directory.isEmpty() ? "" : directory + "/";
    try (WritableFile file = createAnew(files, prefix + temporary)) {
      file.write(out.asByteBuffer());
      file.sync();
    }
    files.rename(prefix + temporary, prefix + name);
    files.syncDirectory(directory);
  }

  /** Creates an unfinished file, replacing one that was left behind. */
  public static WritableFile createAnew(FileSystem files, String temporary) throws IOException {
    if (files.exists(temporary)) {
      files.delete(temporary);
    }
    return files.create(temporary);
  }
}
