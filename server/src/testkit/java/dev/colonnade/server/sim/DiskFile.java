package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.RandomSource;
import java.util.Arrays;

/** The bytes of one file: as programs see them, and as a reboot would find them. */
final class DiskFile {
  /** What a disk writes whole or not at all. */
  static final int SECTOR_BYTES = 512;

  private byte[] bytes = new byte[64];
  private int size;
  private byte[] durable = {};

  /** Where unsynced bytes begin: a truncation moves it below the durable size. */
  private int cleanSize;

  /**
   * Bytes below this were part of a sync that failed; the system may have dropped them for good.
   */
  private int lostUpTo;

  private boolean syncFailed;

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
    // What is written there later may find these places in memory.
    Arrays.fill(bytes, newSize, size, (byte) 0);
    size = newSize;
    cleanSize = Math.min(cleanSize, newSize);
  }

  void flipBit(long bit) {
    int at = Math.toIntExact(bit / 8);
    byte mask = (byte) (1 << (bit % 8));
    if (at >= size) {
      throw new IllegalArgumentException("byte " + at + " of " + size);
    }
    bytes[at] ^= mask;
    if (at < durable.length) {
      durable = durable.clone();
      durable[at] ^= mask;
    }
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

  /** The sync failed: the system forgets that these bytes were never written. */
  void failSync() {
    lostUpTo = size;
    syncFailed = true;
  }

  /** Whether a sync of this file ever failed. */
  boolean hasFailedSync() {
    return syncFailed;
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
    if (lostUpTo > 0) {
      return Arrays.copyOf(bytes, Math.min(cleanSize, size));
    }
    int kept = cleanSize + random.nextInt(size - cleanSize + 1);
    byte[] content = Arrays.copyOf(bytes, kept);
    return switch (random.nextInt(6)) {
      // The length reached the disk before the bytes did.
      case 0 -> Arrays.copyOf(content, kept + random.nextInt(size - kept + 1));
      // Sectors reached it in an order of their own.
      case 1 -> sectorsAfterCrash(random, false);
      // And where none did, there is what another file left.
      case 2 -> sectorsAfterCrash(random, true);
      default -> content;
    };
  }

  private byte[] sectorsAfterCrash(RandomSource random, boolean rubbish) {
    byte[] content = Arrays.copyOf(bytes, size);
    int from = cleanSize;
    while (from < size) {
      int to = Math.min(size, (from / SECTOR_BYTES + 1) * SECTOR_BYTES);
      if (random.nextInt(2) == 0) {
        for (int i = from; i < to; i++) {
          content[i] = rubbish ? (byte) random.nextInt(256) : 0;
        }
      }
      from = to;
    }
    return content;
  }
}
