package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.config.ReplicationSettings;
import java.time.Duration;

/**
 * The bounds and the pace of hints.
 *
 * @param segmentBytes a new segment begins when the next group would pass this; 1 KiB to 1 GiB
 * @param targetBytesMax of the segments for one node on disk, in addition to what waits in memory;
 *     more is refused
 * @param totalBytesMax of all segments on disk; more is refused
 * @param queueBytesMax what may wait in memory to be written; more is refused
 * @param diskReserveBytes with less free disk than this no hint is kept, since flushes need the
 *     room more
 * @param syncPeriod a hint that no caller waits for is durable after this at the latest
 * @param window for a node that has missed writes for longer, no more are kept
 * @param batchBytes about how much one message carries; a single hint may be larger
 * @param batchHints the most hints in one message. One message to a node is under way at a time.
 * @param bytesPerSecond the pace of all dispatches together; 0 for no limit
 * @param requestTimeout how long a node may take to apply one message
 * @param retryDelay after a dispatch to a living node failed
 * @param redeliveryInterval between two redelivery scans
 * @param deliveriesMax dispatches at a time
 */
public record HintSettings(
    long segmentBytes,
    long targetBytesMax,
    long totalBytesMax,
    long queueBytesMax,
    long diskReserveBytes,
    Duration syncPeriod,
    Duration window,
    int batchBytes,
    int batchHints,
    long bytesPerSecond,
    Duration requestTimeout,
    Duration retryDelay,
    Duration redeliveryInterval,
    int deliveriesMax) {

  /** The largest hint, whatever the settings: readers take no more memory than this for one. */
  static final int LARGEST_HINT_BYTES = 64 << 20;

  /**
   * Segments of 16 MiB, so that delivered ones soon free their room; 1 GiB for a node, hours of
   * writes at some hundred KB/s, and 4 GiB in all; 32 MiB in memory, a second of a fast client. 256
   * MiB stay free for flushes. Synced once a second, like the commit log. After three hours, as in
   * later releases of Cassandra, repair is cheaper than more hints. Messages of 128 KiB, 256 hints:
   * a few milliseconds of work. 8 MiB/s, a tenth of a slow disk or network. A redelivery scan each
   * quarter of an hour finds what a missed signal left behind.
   */
  public static final HintSettings DEFAULT =
      new HintSettings(
          16L << 20,
          1L << 30,
          4L << 30,
          32L << 20,
          256L << 20,
          Duration.ofSeconds(1),
          Duration.ofHours(3),
          128 << 10,
          256,
          8L << 20,
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          ReplicationSettings.HINT_INTERVAL.defaultValue(),
          4);

  /** Checks the ranges. */
  public HintSettings {
    if (segmentBytes < 1 << 10 || segmentBytes > 1 << 30) {
      throw new IllegalArgumentException(
          "a segment of hints has 1 KiB to 1 GiB, not " + segmentBytes + " bytes");
    }
    requirePositive("bytes for one node", targetBytesMax);
    requirePositive("bytes for all nodes", totalBytesMax);
    requirePositive("bytes in memory", queueBytesMax);
    requirePositive("nanoseconds between syncs", syncPeriod.toNanos());
    requirePositive("bytes in a message", batchBytes);
    requirePositive("hints in a message", batchHints);
    if (bytesPerSecond < 0) {
      throw new IllegalArgumentException("bytes a second of hints: not " + bytesPerSecond);
    }
    requirePositive("nanoseconds for an answer", requestTimeout.toNanos());
    requirePositive("nanoseconds before a retry", retryDelay.toNanos());
    requirePositive("nanoseconds between redelivery scans", redeliveryInterval.toNanos());
    requirePositive("deliveries at a time", deliveriesMax);
  }

  /** Returns these settings with another interval between redelivery scans. */
  public HintSettings withRedeliveryInterval(Duration changed) {
    return new HintSettings(
        segmentBytes,
        targetBytesMax,
        totalBytesMax,
        queueBytesMax,
        diskReserveBytes,
        syncPeriod,
        window,
        batchBytes,
        batchHints,
        bytesPerSecond,
        requestTimeout,
        retryDelay,
        changed,
        deliveriesMax);
  }

  /** Returns these settings with another pace of all dispatches together; 0 for no limit. */
  public HintSettings withBytesPerSecond(long changed) {
    return new HintSettings(
        segmentBytes,
        targetBytesMax,
        totalBytesMax,
        queueBytesMax,
        diskReserveBytes,
        syncPeriod,
        window,
        batchBytes,
        batchHints,
        changed,
        requestTimeout,
        retryDelay,
        redeliveryInterval,
        deliveriesMax);
  }

  private static void requirePositive(String what, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " of hints: at least 1, not " + value);
    }
  }
}
