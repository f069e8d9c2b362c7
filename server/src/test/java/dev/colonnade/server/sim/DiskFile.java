package dev.colonnade.server.sim;

import dev.colonnade.server.env.RandomSource;
import java.util.Arrays;

/** The bytes of one file: as programs see them, and as a reboot would find them. */
final class DiskFile {
  private byte[] bytes = new byte[64];
  private int size;
  private byte[] durable = {};

  /** Where unsynced bytes begin: a truncation moves it below the durable size. */
  private int cleanSize;

  /**
   * Bytes below this were part of a sync that failed; the system may have dropped them for good.
   */
  private int lostUpTo;

  static DiskFile of(byte[] content) {
    DiskFile file = new DiskFile();
    file.bytes = content.clone();
    file.size = content.length;
    file.durable = content.clone();
    file.cleanSize = content.length;
    return file;
  }

  int size() {
    return size;
  }

  void read(int position, byte[] target, int offset, int length) {
    System.arraycopy(bytes, position, target, offset, length);
  }

  void append(byte[] source) {
    if (size + source.length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + source.length, 2 * bytes.length));
    }
    System.arraycopy(source, 0, bytes, size, source.length);
    size += source.length;
  }

  void truncate(int newSize) {
    size = newSize;
    cleanSize = Math.min(cleanSize, newSize);
  }

  void sync() {
    byte[] synced = Arrays.copyOf(bytes, size);
    if (lostUpTo > 0) {
      Arrays.fill(synced, Math.min(cleanSize, size), Math.min(lostUpTo, size), (byte) 0);
      lostUpTo = 0;
    }
    durable = synced;
    cleanSize = size;
  }

  void failSync() {
    lostUpTo = size;
  }

  byte[] content() {
    return Arrays.copyOf(bytes, size);
  }

  byte[] durableContent() {
    return durable.clone();
  }

  /** What a reboot could find: the durable bytes and some share of what came after. */
  byte[] contentAfterCrash(RandomSource random) {
    boolean cut = cleanSize < durable.length;
    if (cut && random.nextInt(2) == 0) {
      return durable.clone();
    }
    int kept = cleanSize + random.nextInt(size - cleanSize + 1);
    byte[] content = Arrays.copyOf(bytes, kept);
    if (random.nextInt(4) == 0) {
      // The length reached the disk before the bytes did.
      content = Arrays.copyOf(content, kept + random.nextInt(size - kept + 1));
    }
    return content;
  }
}
