package dev.colonnade.server.base.model;

/**
 * The position of a record in the commit log, or of the log's end. Later records have greater
 * positions, also across restarts.
 *
 * @param segment the segment's number, from 1 on; 0 is before every record
 * @param offset bytes from the start of the segment
 */
public record LogPosition(long segment, long offset) implements Comparable<LogPosition> {
  /** Before every record. */
  public static final LogPosition START = new LogPosition(0, 0);

  /** Checks the ranges. */
  public LogPosition {
    if (segment < 0 || offset < 0) {
      throw new IllegalArgumentException("not a log position: " + segment + ", " + offset);
    }
  }

  /** Whether {@code other} is further on. */
  public boolean isBefore(LogPosition other) {
    return compareTo(other) < 0;
  }

  @Override
  public int compareTo(LogPosition other) {
    int bySegment = Long.compare(segment, other.segment);
    return bySegment != 0 ? bySegment : Long.compare(offset, other.offset);
  }

  @Override
  public String toString() {
    return segment + ":" + offset;
  }
}
