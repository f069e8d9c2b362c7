package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Rewrites a segment under its own name. */
final class SegmentCopy {
  private static final int CHUNK_BYTES = 1 << 18;

  private SegmentCopy() {}

  /** Copies the bytes to a new file, durable once the directory is synced. */
  static void replace(FileSystem files, String name, long bytes) throws IOException {
    if (files.exists(SegmentFormat.NEW_SEGMENT)) {
      files.delete(SegmentFormat.NEW_SEGMENT);
    }
    try (ReadableFile source = files.open(name);
        WritableFile copy = files.create(SegmentFormat.NEW_SEGMENT)) {
      byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, bytes)];
      for (long at = 0; at < bytes; at += chunk.length) {
        ByteBuffer part = ByteBuffer.wrap(chunk, 0, (int) Math.min(chunk.length, bytes - at));
        source.read(at, part);
        copy.write(part.flip());
      }
      copy.sync();
    }
    files.rename(SegmentFormat.NEW_SEGMENT, name);
  }
}
