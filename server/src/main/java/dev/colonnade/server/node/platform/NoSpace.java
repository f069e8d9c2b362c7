package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.NoSpaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * How much room a disk has, and whether a failure means that it is full: the platform tells that
 * only by the message.
 */
final class NoSpace {
  /** Less free space than this counts as none: file systems keep some blocks for themselves. */
  private static final long BLOCK_BYTES = 4096;

  private NoSpace() {}

  /**
   * The failure as {@link NoSpaceException} if the disk is full, otherwise unchanged.
   *
   * @param place any file or directory of that disk
   * @param bytes how much was to be written
   */
  static IOException translate(IOException failure, Path place, long bytes) {
    if (!saysSo(failure) && !isFull(place, bytes)) {
      return failure;
    }
    NoSpaceException full = new NoSpaceException(place + ": " + failure.getMessage());
    full.initCause(failure);
    return full;
  }

  /**
   * The bytes that this process may still write to the disk of an existing file or directory. A
   * file store is asked only where the file itself says nothing, because it reads the table of
   * mounts, which a process without free descriptors cannot open: flushes would then fail as if the
   * disk did.
   */
  static long usableBytes(Path existing) throws IOException {
    long usable = existing.toFile().getUsableSpace();
    return usable > 0 ? usable : Files.getFileStore(existing).getUsableSpace();
  }

  private static boolean saysSo(IOException failure) {
    String words = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    return words.contains("no space left")
        || words.contains("quota exceeded")
        || words.contains("not enough space");
  }

  /** Asks the disk itself, since the message may be in another language. */
  private static boolean isFull(Path place, long bytes) {
    try {
      Path existing = Files.exists(place) ? place : place.getParent();
      return existing != null && usableBytes(existing) < Math.max(bytes, BLOCK_BYTES);
    } catch (IOException unknown) {
      return false;
    }
  }
}
