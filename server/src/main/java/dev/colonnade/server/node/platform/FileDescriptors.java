package dev.colonnade.server.node.platform;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tracks how many more files and connections this process may open. Connections stop where the
 * reserve begins, so that the node can still open its own files and answer probes.
 *
 * <p>Thread-safe. Counting takes time in proportion to what is open, so it is done at most ten
 * times a second; connections accepted since are added.
 */
final class FileDescriptors {

  private static final long COUNT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** For data files: a compaction opens three for each of its files. */
  private static final long RESERVE_MAX = 512;

  private final long limit;
  private final LongSupplier open;
  private long counted;
  private long countedNanos;
  private boolean everCounted;

  /**
   * The descriptors of a process.
   *
   * @param limit how many it may have
   * @param open counts those in use
   */
  FileDescriptors(long limit, LongSupplier open) {
    this.limit = limit;
    this.open = open;
  }

  /** The descriptors of this process; without a limit if the system does not report one. */
  static FileDescriptors ofProcess() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new FileDescriptors(unix.getMaxFileDescriptorCount(), unix::getOpenFileDescriptorCount)
        : new FileDescriptors(Long.MAX_VALUE, () -> 0);
  }

  /** How many are reserved for the node's files: a quarter, at most 512. */
  long reserve() {
    return Math.min(RESERVE_MAX, limit / 4);
  }

  /**
   * Takes one for a connection.
   *
   * @param kept how many must be left after it
   * @return false if there are too few
   */
  synchronized boolean take(long kept, long nowNanos) {
    if (!everCounted || nowNanos - countedNanos >= COUNT_EVERY_NANOS) {
      everCounted = true;
      counted = open.getAsLong();
      countedNanos = nowNanos;
    } else {
      counted++;
    }
    return limit - counted >= kept;
  }
}
