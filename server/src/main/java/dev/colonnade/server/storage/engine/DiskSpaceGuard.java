package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.storage.mutation.DiskFullException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches how much room the disks have. Below a reserve, writes are refused, so that accepted data
 * can still be flushed, which frees the log, and the manifest can still be written. Compactions
 * leave the reserve alone; flushes may use it.
 *
 * <p>The disks are checked from time to time, because other programs fill them too. Between checks
 * the node counts its own writes, and checks again before these can have used up the room that the
 * last check found: a fast writer would otherwise be through the reserve before the next check.
 *
 * <p>Thread-safe. The requirements, {@link #look}, and {@link #shortageAfter} the more often the
 * nearer the reserve is, ask the operating system for a figure that it has in memory.
 */
final class DiskSpaceGuard {

  private static final Logger LOG = LoggerFactory.getLogger(DiskSpaceGuard.class);

  private final FileSystem dataFiles;
  private final FileSystem logFiles;
  private final long reserveBytes;

  /** How much the node may still write before the disks are checked again. */
  private final AtomicLong unlookedBytes = new AtomicLong();

  /** Held by the thread that checks; a thread that finds it held uses the last known figures. */
  private final ReentrantLock looking = new ReentrantLock();

  private volatile @Nullable String shortage;

  DiskSpaceGuard(FileSystem dataFiles, FileSystem logFiles, long reserveBytes) {
    this.dataFiles = dataFiles;
    this.logFiles = logFiles;
    this.reserveBytes = reserveBytes;
  }

  /**
   * Returns why a write is refused now; null while there is room.
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
   * Checks the disks.
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
    // Somewhat more than was missing, so that the state does not flip with every flush.
    long wanted = wasShort ? reserveBytes + reserveBytes / 4 : reserveBytes;
    SpaceCheck look = look(dataFiles, wanted, "data").worse(look(logFiles, wanted, "commit log"));
    String found = look.shortage();
    // Half, because the same bytes are flushed later, perhaps before the next look.
    unlookedBytes.set(look.bytesAboveReserve() / 2);
    if (found != null && !wasShort) {
      LOG.error("{}. Reads continue", found);
    } else if (found == null && wasShort) {
      LOG.info("the disk has room again; writes are accepted");
    }
    shortage = found;
    return wasShort && found == null;
  }

  /** The result of checking one disk, or both. */
  private record SpaceCheck(long bytesAboveReserve, @Nullable String shortage) {

    SpaceCheck worse(SpaceCheck other) {
      return other.bytesAboveReserve < bytesAboveReserve ? other : this;
    }
  }

  private static SpaceCheck look(FileSystem files, long wantedBytes, String what) {
    long usable;
    try {
      usable = files.usableBytes();
    } catch (IOException e) {
      // The free room is unknown; the writes themselves will find out.
      LOG.warn("could not determine how much room there is at {}", files.describe(""), e);
      return new SpaceCheck(Long.MAX_VALUE, null);
    }
    return new SpaceCheck(
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
                + " are kept in reserve: no writes are accepted until there is room again. Free"
                + " some room, drop or truncate a column family, or move the directory to a larger"
                + " disk");
  }

  /**
   * Requires room for a flush, which may use the reserve.
   *
   * @throws DiskFullException if that many bytes do not fit
   */
  void requireForFlush(long bytes) throws IOException {
    require(bytes, "a memtable");
  }

  /**
   * Requires room for a compaction, which writes its output before it deletes its inputs.
   *
   * @throws DiskFullException if that many bytes do not fit beside the reserve
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
              + " are left. It will be tried again; free some room");
    }
  }
}
