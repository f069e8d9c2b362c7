package dev.colonnade.server.adapter;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import net.openhft.chronicle.hash.impl.VanillaChronicleHash;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.posix.OpenFlag;
import net.openhft.posix.PosixAPI;

/**
 * Pages of a Chronicle Map that are this process's own. A map lies in shared pages of its file, and
 * each lookup writes its lock there. Where the disk hangs, the first write to such a page after it
 * was last brought to disk waits for the disk, in the middle of an instruction; and with that one
 * thread the whole Java machine waits at its next pause. A write to a private page copies it, and
 * waits for nothing.
 *
 * <p>Works on Linux; elsewhere nothing is done, and pages stay shared.
 */
final class PrivatePages {

  private static final boolean POSSIBLE =
      System.getProperty("os.name", "").toLowerCase(Locale.ROOT).equals("linux");

  private static final int PAGE_BYTES = 4096;
  private static final int READ_AND_WRITE = 1 | 2;

  /** MAP_PRIVATE, MAP_FIXED and MAP_NORESERVE of Linux, on x86 and ARM. */
  private static final int PRIVATE_IN_PLACE = 0x2 | 0x10 | 0x4000;

  private static final int PIECE_BYTES = 1 << 20;

  private PrivatePages() {}

  /**
   * Makes the pages private that lookups write to, a few KiB: what they write is for this process
   * alone.
   */
  static void ofLocks(ChronicleMap<?, ?> map, Path file) throws IOException {
    if (POSSIBLE && map instanceof VanillaChronicleHash<?, ?, ?, ?> hash) {
      // Behind the last lock there is its padding to a line of the processor's cache.
      long end = hash.segmentHeaderAddress(hash.actualSegments - 1) + Long.BYTES;
      make(hash.bsAddress(), end - hash.bsAddress(), file);
    }
  }

  /**
   * Makes a map private that is being built. It is in memory until {@link #write}.
   *
   * @param bytesMax a larger one stays as it is
   * @return whether it is private now
   */
  static boolean ofAll(ChronicleMap<?, ?> map, Path file, long bytesMax) throws IOException {
    if (POSSIBLE && map instanceof VanillaChronicleHash<?, ?, ?, ?> hash) {
      long bytes = hash.sizeInBytesWithoutTiers();
      if (bytes <= bytesMax) {
        make(hash.bsAddress(), bytes, file);
        return true;
      }
    }
    return false;
  }

  private static void make(long address, long bytes, Path file) throws IOException {
    PosixAPI system = PosixAPI.posix();
    int descriptor = open(system, file, OpenFlag.O_RDONLY);
    try {
      long length = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
      if (system.mmap(address, length, READ_AND_WRITE, PRIVATE_IN_PLACE, descriptor, 0)
          != address) {
        throw new IOException("cannot map " + file + " privately: " + system.lastErrorStr());
      }
    } finally {
      system.close(descriptor);
    }
  }

  /** Writes what {@link #ofAll} made private to the file, where it has its room already. */
  static void write(ChronicleMap<?, ?> map, Path file) throws IOException {
    if (!(map instanceof VanillaChronicleHash<?, ?, ?, ?> hash)) {
      throw new IllegalArgumentException("no map that is private: " + file);
    }
    long bytes = hash.sizeInBytesWithoutTiers();
    PosixAPI system = PosixAPI.posix();
    int descriptor = open(system, file, OpenFlag.O_RDWR);
    try {
      for (long at = 0; at < bytes; ) {
        StagePool.moved();
        long wrote =
            system.write(descriptor, hash.bsAddress() + at, Math.min(PIECE_BYTES, bytes - at));
        if (wrote <= 0) {
          throw new IOException("cannot write " + file + ": " + system.lastErrorStr());
        }
        at += wrote;
      }
    } finally {
      system.close(descriptor);
    }
  }

  private static int open(PosixAPI system, Path file, OpenFlag mode) throws IOException {
    int descriptor = system.open(file.toString(), mode, 0);
    if (descriptor < 0) {
      throw new IOException("cannot open " + file + ": " + system.lastErrorStr());
    }
    return descriptor;
  }
}
