package dev.colonnade.server.base.model;

/**
 * When something was deleted: by the client's timestamp and by the server's clock.
 *
 * @param timestamp hides cells with timestamps up to and including this one; {@link Long#MIN_VALUE}
 *     means not deleted
 * @param deletedAtSeconds seconds since 1970, fixed once by the coordinator; purging counts gc
 *     grace from here
 */
public record DeletionTime(long timestamp, long deletedAtSeconds)
    implements Comparable<DeletionTime> {

  /** Not deleted. */
  public static final DeletionTime NONE = new DeletionTime(Long.MIN_VALUE, Long.MIN_VALUE);

  /**
   * Whether this deletes nothing. A deletion at the smallest timestamp is none, as in the first
   * Cassandra.
   */
  public boolean isNone() {
    return timestamp == Long.MIN_VALUE;
  }

  /** Whether a cell of that timestamp is hidden. */
  public boolean hides(long cellTimestamp) {
    return cellTimestamp <= timestamp && timestamp != Long.MIN_VALUE;
  }

  /** The stronger of the two: the later timestamp, then the later deletion time. */
  public static DeletionTime max(DeletionTime a, DeletionTime b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  @Override
  public int compareTo(DeletionTime other) {
    int byTimestamp = Long.compare(timestamp, other.timestamp);
    return byTimestamp != 0 ? byTimestamp : Long.compare(deletedAtSeconds, other.deletedAtSeconds);
  }
}
