package dev.colonnade.server.config;

import java.time.Duration;

/**
 * When the commit log is durable, and how it is cut.
 *
 * @param sync when a write is acknowledged
 * @param syncPeriod between two syncs in PERIODIC: what a loss of power can cost
 * @param segmentBytes a file of the log is closed when it has so many
 */
public record CommitLogOptions(Sync sync, Duration syncPeriod, long segmentBytes) {

  /** When a write is acknowledged. */
  public enum Sync {
    /** When its bytes are with the system: a killed process loses nothing, a power cut can. */
    PERIODIC,
    /** When its bytes are on the disk. */
    BATCH
  }

  /**
   * PERIODIC and one second: as Cassandra did, with a tenth of its loss. No window, because writes
   * that arrive during a sync share the next one anyway. 128 MB, as Cassandra had it.
   */
  public static final CommitLogOptions DEFAULT =
      new CommitLogOptions(Sync.PERIODIC, Duration.ofSeconds(1), 128L << 20);

  /** Checks the bounds: segments of 1 MiB to 1 GiB. */
  public CommitLogOptions {
    Bounds.positive("syncPeriod", syncPeriod);
    Bounds.range("segmentBytes", segmentBytes, 1 << 20, 1 << 30);
  }

  /** With another way to sync. */
  public CommitLogOptions withSync(Sync newSync) {
    return new CommitLogOptions(newSync, syncPeriod, segmentBytes);
  }

  /** With another period. */
  public CommitLogOptions withSyncPeriod(Duration period) {
    return new CommitLogOptions(sync, period, segmentBytes);
  }

  /** With segments of another size. */
  public CommitLogOptions withSegmentBytes(long bytes) {
    return new CommitLogOptions(sync, syncPeriod, bytes);
  }
}
