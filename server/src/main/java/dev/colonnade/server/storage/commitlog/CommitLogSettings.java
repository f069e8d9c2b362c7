package dev.colonnade.server.storage.commitlog;

/**
 * The sizes of a commit log.
 *
 * @param segmentBytes a new segment begins when the next group would pass this; 1 KiB to 1 GiB
 * @param maxTotalBytes above this, the families that pin the oldest segment should be flushed; at
 *     least two segments
 * @param maxRecordBytes the largest payload of one record; at most {@value #LARGEST_RECORD_BYTES}
 */
public record CommitLogSettings(long segmentBytes, long maxTotalBytes, int maxRecordBytes) {
  /** The largest record, whatever the settings: readers take no more memory than this for one. */
  public static final int LARGEST_RECORD_BYTES = 64 << 20;

  /** Checks the ranges. */
  public CommitLogSettings {
    if (segmentBytes < 1 << 10 || segmentBytes > 1 << 30) {
      throw new IllegalArgumentException(
          "a log segment has 1 KiB to 1 GiB, not " + segmentBytes + " bytes");
    }
    if (maxTotalBytes < 2 * segmentBytes) {
      throw new IllegalArgumentException(
          "the commit log needs room for two segments of "
              + segmentBytes
              + " bytes, not "
              + maxTotalBytes);
    }
    if (maxRecordBytes < 1 || maxRecordBytes > LARGEST_RECORD_BYTES) {
      throw new IllegalArgumentException(
          "a log record has 1 to " + LARGEST_RECORD_BYTES + " bytes, not " + maxRecordBytes);
    }
  }

  /**
   * Segments of 32 MiB, so that deleting and replaying one is quick; 1 GiB in all, which replays in
   * seconds; records of 32 MiB, far above the largest message a client may send.
   */
  public static CommitLogSettings defaults() {
    return new CommitLogSettings(32L << 20, 1L << 30, 32 << 20);
  }
}
