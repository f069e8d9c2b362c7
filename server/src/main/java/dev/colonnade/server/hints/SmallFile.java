package dev.colonnade.server.hints;

import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.FileFormat;
import dev.colonnade.server.codec.FileHeader;
import dev.colonnade.server.env.FileSystem;
import dev.colonnade.server.env.FileSystem.ReadableFile;
import dev.colonnade.server.env.FileSystem.WritableFile;
import java.io.IOException;

/** Files that are a header only, and change by being replaced. */
final class SmallFile {

  private SmallFile() {}

  static byte[] read(FileSystem files, String path, FileFormat format) throws IOException {
    try (ReadableFile file = files.open(path)) {
      return FileHeader.read(file, files.describe(path), format).body();
    }
  }

  /** Writes or replaces {@code directory/name}; durable when it returns. */
  static void write(
      FileSystem files, String directory, String name, FileFormat format, ByteWriter body)
      throws IOException {
    ByteWriter out = new ByteWriter(64);
    FileHeader.write(out, format, body.toByteArray());
    String temporary = directory + "/" + HintFormat.TEMPORARY;
    try (WritableFile file = createAnew(files, temporary)) {
      file.write(out.asByteBuffer());
      file.sync();
    }
    files.rename(temporary, directory + "/" + name);
    files.syncDirectory(directory);
  }

  /** Creates a file under construction, in place of one that was left behind. */
  static WritableFile createAnew(FileSystem files, String temporary) throws IOException {
    if (files.exists(temporary)) {
      files.delete(temporary);
    }
    return files.create(temporary);
  }
}
