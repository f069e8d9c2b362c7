package dev.colonnade.server.base.config;

import java.time.Duration;

/**
 * When the commit log is durable, and how it is divided.
 *
 * @param sync when a write is acknowledged
 * @param syncPeriod between two syncs in PERIODIC: how much a power loss can cost
 * @param segmentBytes the size at which a file of the log is closed
 */
public record CommitLogOptions(Sync sync, Duration syncPeriod, long segmentBytes) {

  /** When a write is acknowledged. */
  public enum Sync {
    /**
     * When the operating system has its bytes: a killed process loses nothing, a power loss can.
     */
    PERIODIC,
    /** When its bytes are on the disk. */
    BATCH
  }

  /**
   * PERIODIC and one second: as in Cassandra, with a tenth of its loss. No window, because writes
   * that arrive during a sync share the next one anyway. 128 MB, as in Cassandra.
   */
  public static final CommitLogOptions DEFAULT =
      new CommitLogOptions(Sync.PERIODIC, Duration.ofSeconds(1), 128L << 20);

  /** Checks the bounds: segments of 1 MiB to 1 GiB. */
  public CommitLogOptions {
    SettingChecks.positive("syncPeriod", syncPeriod);
    SettingChecks.range("segmentBytes", segmentBytes, 1 << 20, 1 << 30);
  }

  /** Returns these settings with another sync mode. */
  public CommitLogOptions withSync(Sync newSync) {
    return new CommitLogOptions(newSync, syncPeriod, segmentBytes);
  }

  /** Returns these settings with another period. */
  public CommitLogOptions withSyncPeriod(Duration period) {
    return new CommitLogOptions(sync, period, segmentBytes);
  }

  /** Returns these settings with another size of segments. */
  public CommitLogOptions withSegmentBytes(long bytes) {
    return new CommitLogOptions(sync, syncPeriod, bytes);
  }
}
