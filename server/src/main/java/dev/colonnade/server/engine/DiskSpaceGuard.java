package dev.colonnade.server.engine;

import dev.colonnade.server.env.FileSystem;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches how much room the disks have. Below a reserve writes are refused, so that what was taken
 * can still be flushed, which frees the log, and the manifest can still be written. Merges leave
 * the reserve alone; flushes may use it.
 *
 * <p>Somebody looks from time to time, because others fill disks too. The node's own writes are
 * counted in between, and looked at before they can have used up what the last look saw: a fast
 * writer would be through the reserve before the next time.
 *
 * <p>Thread-safe. The requirements, {@link #look}, and {@link #shortageAfter} the more often the
 * nearer the reserve is, ask the system for a figure that it has in memory.
 */
final class DiskSpaceGuard {

  private static final Logger LOG = LoggerFactory.getLogger(DiskSpaceGuard.class);

  private final FileSystem dataFiles;
  private final FileSystem logFiles;
  private final long reserveBytes;

  /** What own writes may still take before the disks are looked at again. */
  private final AtomicLong unlookedBytes = new AtomicLong();

  /** Held by the one who looks; whoever finds it held goes by what is known. */
  private final ReentrantLock looking = new ReentrantLock();

  private volatile @Nullable String shortage;

  DiskSpaceGuard(FileSystem dataFiles, FileSystem logFiles, long reserveBytes) {
    this.dataFiles = dataFiles;
    this.logFiles = logFiles;
    this.reserveBytes = reserveBytes;
  }

  /**
   * Why a write is not taken now; null while there is room.
   *
   * @param bytes what the write will take in the log
   */
  @Nullable String shortageAfter(long bytes) {
    String found = shortage;
    if (found == null && unlookedBytes.addAndGet(-bytes) < 0 && looking.tryLock()) {
      try {
        lookNow();
        found = shortage;
      } finally {
        looking.unlock();
      }
    }
    return found;
  }

  /**
   * Looks at the disks.
   *
   * @return true if there is room again, after there was none
   */
  boolean look() {
    looking.lock();
    try {
      return lookNow();
    } finally {
      looking.unlock();
    }
  }

  private boolean lookNow() {
    boolean wasShort = shortage != null;
    // Some more than was missing, so that it does not change with every flush.
    long wanted = wasShort ? reserveBytes + reserveBytes / 4 : reserveBytes;
    Look look = look(dataFiles, wanted, "data").worse(look(logFiles, wanted, "commit log"));
    String found = look.shortage();
    // Half, because the same bytes are flushed later, perhaps before the next look.
    unlookedBytes.set(look.bytesAboveReserve() / 2);
    if (found != null && !wasShort) {
      LOG.error("{}. Reads go on", found);
    } else if (found == null && wasShort) {
      LOG.info("there is room on the disk again; writes are taken");
    }
    shortage = found;
    return wasShort && found == null;
  }

  /** What a look at one disk or both found. */
  private record Look(long bytesAboveReserve, @Nullable String shortage) {

    Look worse(Look other) {
      return other.bytesAboveReserve < bytesAboveReserve ? other : this;
    }
  }

  private static Look look(FileSystem files, long wantedBytes, String what) {
    long usable;
    try {
      usable = files.usableBytes();
    } catch (IOException e) {
      // Whether there is room is not known; the writes themselves will find out.
      LOG.warn("could not ask how much room there is at {}", files.describe(""), e);
      return new Look(Long.MAX_VALUE, null);
    }
    return new Look(
        usable - wantedBytes,
        usable >= wantedBytes
            ? null
            : "the disk of the "
                + what
                + " directory "
                + files.describe("")
                + " has "
                + usable
                + " bytes left, and "
                + wantedBytes
                + " are kept back: no writes are taken until there is room again. Free some, drop"
                + " or truncate a column family, or move the directory to a larger disk");
  }

  /**
   * For a flush, which may use the reserve.
   *
   * @throws DiskFullException if so many bytes do not fit
   */
  void requireForFlush(long bytes) throws IOException {
    require(bytes, "a memtable");
  }

  /**
   * For a merge, which needs room for its output before its inputs can go.
   *
   * @throws DiskFullException if so many bytes do not fit beside the reserve
   */
  void requireForMerge(long bytes) throws IOException {
    require(bytes + reserveBytes, "a merge of data files");
  }

  private void require(long bytes, String what) throws IOException {
    long usable = dataFiles.usableBytes();
    if (usable < bytes) {
      throw new DiskFullException(
          what
              + " needs "
              + bytes
              + " bytes in "
              + dataFiles.describe("")
              + ", reserve included, and "
              + usable
              + " are left. It is tried again; free some room");
    }
  }
}
