package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.config.ReplicationSettings;
import java.time.Duration;

/**
 * The bounds and the pace of streams.
 *
 * @param chunkBytes about the size of a chunk; a single column may be larger
 * @param window chunks of a stream that are sent and not answered yet
 * @param bytesPerSecond of all streams that a node sends together; 0 for no limit
 * @param streamsMax streams in each direction at a time
 * @param answerTimeout after which a chunk is sent again
 * @param closeTimeout after which a close is sent again; the receiver completes files meanwhile
 * @param retryDelay before a failed message is sent again
 * @param senderTimeout a sender without any answer for this long gives up
 * @param idleTimeout a receiver that hears nothing for this long gives up; longer than the sender
 *     timeout
 */
public record StreamSettings(
    int chunkBytes,
    int window,
    long bytesPerSecond,
    int streamsMax,
    Duration answerTimeout,
    Duration closeTimeout,
    Duration retryDelay,
    Duration senderTimeout,
    Duration idleTimeout) {

  /** The furthest that a receiver lets a sender run ahead, whatever the sender's settings are. */
  static final int WINDOW_MAX = 64;

  /**
   * Chunks of 256 KiB, four under way: a megabyte for each stream keeps a link of 10 ms busy at 100
   * MB/s. Eight streams each way more than fill the default pace. Ten seconds for an answer,
   * because a compaction or a flush can occupy the receiver's disk; a minute to complete files. A
   * node that hears nothing for a minute is cut off.
   */
  public static final StreamSettings DEFAULT =
      new StreamSettings(
          256 << 10,
          4,
          ReplicationSettings.STREAM_BYTES_PER_SECOND.defaultValue(),
          8,
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofSeconds(1),
          Duration.ofSeconds(60),
          Duration.ofMinutes(3));

  /** Returns these settings with another pace. */
  public StreamSettings withBytesPerSecond(long changed) {
    return new StreamSettings(
        chunkBytes,
        window,
        changed,
        streamsMax,
        answerTimeout,
        closeTimeout,
        retryDelay,
        senderTimeout,
        idleTimeout);
  }

  /** Checks the ranges. */
  public StreamSettings {
    if (chunkBytes < 64 || chunkBytes > 1 << 20) {
      throw new IllegalArgumentException(
          "a chunk of a stream has 64 bytes to 1 MiB, not " + chunkBytes);
    }
    if (window < 1 || window > WINDOW_MAX) {
      throw new IllegalArgumentException("1 to 64 chunks are under way, not " + window);
    }
    if (bytesPerSecond < 0 || streamsMax < 1) {
      throw new IllegalArgumentException(
          "streams have a rate of 0 or more and are at least one, not "
              + bytesPerSecond
              + " and "
              + streamsMax);
    }
    if (idleTimeout.compareTo(senderTimeout) <= 0) {
      throw new IllegalArgumentException(
          "a receiver waits longer (" + idleTimeout + ") than a sender (" + senderTimeout + ")");
    }
  }
}
