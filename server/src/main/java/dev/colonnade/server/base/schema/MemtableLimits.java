package dev.colonnade.server.base.schema;

import java.time.Duration;

/**
 * When a memtable is flushed: at the first limit reached.
 *
 * @param throughputMebibytes data written since the last flush, at least 1
 * @param maxOperations columns written since the last flush; 0 means that they are not counted
 * @param flushAfter age of the oldest write in it, at least a second
 */
public record MemtableLimits(int throughputMebibytes, long maxOperations, Duration flushAfter) {

  /**
   * 128 MB as in the first Cassandra; operations off, because their cost is in the bytes; an hour,
   * so that a quiet family does not pin the commit log.
   */
  public static final MemtableLimits DEFAULT = new MemtableLimits(128, 0, Duration.ofMinutes(60));

  /** The first limit in bytes. */
  public long throughputBytes() {
    return throughputMebibytes * 1024L * 1024L;
  }
}
