package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Operations on whole component files. */
final class ComponentFiles {
  private static final int CHUNK_BYTES = 64 << 10;

  private ComponentFiles() {}

  /** Length and CRC32C of a whole file. */
  record Fingerprint(long bytes, int checksum) {}

  static Fingerprint fingerprint(FileSystem files, String path) throws IOException {
    try (ReadableFile file = files.open(path)) {
      return fingerprint(file);
    }
  }

  static Fingerprint fingerprint(ReadableFile file) throws IOException {
    long size = file.size();
    byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, size)];
    Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();
    for (long at = 0; at < size; at += chunk.length) {
      int length = (int) Math.min(chunk.length, size - at);
      file.read(at, ByteBuffer.wrap(chunk, 0, length));
      checksum.update(chunk, 0, length);
    }
    return new Fingerprint(size, checksum.value());
  }

  static void deleteIfThere(FileSystem files, String path) throws IOException {
    try {
      files.delete(path);
    } catch (FileNotFoundException gone) {
      // The goal is reached already.
    }
  }

  static void deleteTemporaries(FileSystem files, SSTableIdentity identity) throws IOException {
    for (Component component : Component.values()) {
      deleteIfThere(files, identity.temporaryPath(component));
    }
  }

  static void deleteAll(FileSystem files, SSTableIdentity identity) throws IOException {
    for (Component component : Component.values()) {
      deleteIfThere(files, identity.path(component));
    }
  }

  /** Gives a finished component its final name; durable once the directory is synced. */
  static void publish(FileSystem files, SSTableIdentity identity, Component component)
      throws IOException {
    files.rename(identity.temporaryPath(component), identity.path(component));
  }
}
