package dev.colonnade.server.node.platform;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tracks how many more files and connections this process may open. Connections stop where the
 * reserve begins, so that the node can still open its own files and answer probes.
 *
 * <p>Thread-safe. Counting takes time in proportion to what is open, so it is done at most ten
 * times a second; connections accepted since are added.
 */
public final class FileDescriptors {

  private static final long COUNT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** For the node's files but those of {@link OpenFiles}: logs, and files that are written. */
  private static final long RESERVE_MAX = 512;

  /** What a node takes without clients: its libraries, its event loops, logs and a few files. */
  private static final long LEAST = 112;

  /** An event loop of each kind for each processor, with its descriptors. */
  private static final long LEAST_OF_PROCESSOR = 4;

  private final long limit;
  private final LongSupplier open;
  private final LongSupplier promised;
  private long counted;
  private long countedNanos;
  private boolean everCounted;

  /**
   * The descriptors of a process.
   *
   * @param limit how many it may have
   * @param open counts those in use
   * @param promised counts those that data files may still take
   */
  FileDescriptors(long limit, LongSupplier open, LongSupplier promised) {
    this.limit = limit;
    this.open = open;
    this.promised = promised;
  }

  /** The descriptors of this process; without a limit if the system does not report one. */
  static FileDescriptors ofProcess() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new FileDescriptors(
            unix.getMaxFileDescriptorCount(),
            unix::getOpenFileDescriptorCount,
            OpenFiles.ofProcess()::left)
        : new FileDescriptors(Long.MAX_VALUE, () -> 0, () -> 0);
  }

  /** How many this process may have; {@link Long#MAX_VALUE} if the system does not say. */
  public static long limitOfProcess() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Long.MAX_VALUE;
  }

  /**
   * Says why a node cannot run with so few descriptors; empty if it can.
   *
   * @param limit how many the process may have
   */
  public static Optional<String> whyTooFew(long limit, int processors) {
    long least = LEAST + LEAST_OF_PROCESSOR * processors;
    return limit >= least
        ? Optional.empty()
        : Optional.of(
            "this process may open "
                + limit
                + " files and connections, and a node needs at least "
                + least
                + ", and 65536 to serve many clients: raise the limit (ulimit -n, LimitNOFILE of"
                + " systemd)");
  }

  /** How many are reserved for the node's other files: a quarter, at most 512. */
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
    return limit - counted - promised.getAsLong() >= kept;
  }
}
