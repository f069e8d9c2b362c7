package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.model.LogPosition;

/** The log positions of the records of one append. All are in one segment. */
public final class AppendedGroup {
  private final long segment;
  private final long[] offsets;
  private final long end;

  AppendedGroup(long segment, long[] offsets, long end) {
    this.segment = segment;
    this.offsets = offsets;
    this.end = end;
  }

  /** The position of record {@code index} of the list. */
  public LogPosition position(int index) {
    return new LogPosition(segment, offsets[index]);
  }

  /** The position of the last record. */
  public LogPosition last() {
    return position(offsets.length - 1);
  }

  /**
   * The end of the group: once {@link CommitLog#sync} returns this or more, the group is durable.
   */
  public LogPosition end() {
    return new LogPosition(segment, end);
  }

  /** How many records there are. */
  public int size() {
    return offsets.length;
  }
}
