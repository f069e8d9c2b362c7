package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Copies segments: under a temporary name, synced, and then renamed. */
final class SegmentCopy {
  private static final int CHUNK_BYTES = 1 << 18;

  private SegmentCopy() {}

  /** Rewrites a segment under its own name; durable once the directory is synced. */
  static void replace(FileSystem files, String name, long bytes) throws IOException {
    copy(files, name, bytes, files, SegmentFormat.NEW_SEGMENT, name);
  }

  /** Copies a whole segment to a directory elsewhere, durable once that is synced. */
  static void into(FileSystem files, String name, FileSystem other, String directory)
      throws IOException {
    long bytes;
    try (ReadableFile source = files.open(name)) {
      bytes = source.size();
    }
    String temporary = directory + "/" + SegmentFormat.NEW_SEGMENT;
    copy(files, name, bytes, other, temporary, directory + "/" + name);
  }

  private static void copy(
      FileSystem files, String name, long bytes, FileSystem to, String temporary, String target)
      throws IOException {
    if (to.exists(temporary)) {
      to.delete(temporary);
    }
    try (ReadableFile source = files.open(name);
        WritableFile copy = to.create(temporary)) {
      byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, bytes)];
      for (long at = 0; at < bytes; at += chunk.length) {
        int length = (int) Math.min(chunk.length, bytes - at);
        ByteBuffer part = ByteBuffer.wrap(chunk, 0, length);
        source.read(at, part);
        copy.write(part.flip());
      }
      copy.sync();
    }
    to.rename(temporary, target);
  }
}
