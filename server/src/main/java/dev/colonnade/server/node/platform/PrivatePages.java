package dev.colonnade.server.node.platform;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import net.openhft.chronicle.hash.impl.VanillaChronicleHash;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.posix.OpenFlag;
import net.openhft.posix.PosixAPI;

/**
 * Makes pages of a Chronicle Map private to this process. A map lies in shared pages of its file,
 * and each lookup writes its lock there. If the disk hangs, the first write to such a page after it
 * was last written back waits for the disk, in the middle of an instruction; then the whole JVM
 * waits for that thread at its next safepoint. A write to a private page copies the page and waits
 * for nothing.
 *
 * <p>Works on Linux; on other systems it does nothing, and pages stay shared.
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

  /** Makes private the pages that lookups write to, a few KiB. */
  static void ofLocks(ChronicleMap<?, ?> map, Path file) throws IOException {
    if (POSSIBLE && map instanceof VanillaChronicleHash<?, ?, ?, ?> hash) {
      // The last lock is followed by padding to a cache line.
      long end = hash.segmentHeaderAddress(hash.actualSegments - 1) + Long.BYTES;
      make(hash.bsAddress(), end - hash.bsAddress(), file);
    }
  }

  /**
   * Makes a map that is being built private. It is in memory until {@link #write}.
   *
   * @param bytesMax a larger one stays shared
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

  /**
   * Writes the pages that {@link #ofAll} made private to the file, where their space is allocated
   * already.
   */
  static void write(ChronicleMap<?, ?> map, Path file) throws IOException {
    if (!(map instanceof VanillaChronicleHash<?, ?, ?, ?> hash)) {
      throw new IllegalArgumentException("not a private map: " + file);
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
