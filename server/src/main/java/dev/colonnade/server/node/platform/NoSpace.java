package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.NoSpaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Distinguishes a full disk from other failures: the platform does so only by the message. */
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
      return existing != null
          && Files.getFileStore(existing).getUsableSpace() < Math.max(bytes, BLOCK_BYTES);
    } catch (IOException unknown) {
      return false;
    }
  }
}
