package dev.colonnade.server.base.config;

import java.time.Duration;

/** When the commit log is durable, and how it is divided. */
public final class CommitLogOptions {

  static final SettingGroup GROUP = new SettingGroup("Commit log");

  /** When a write is acknowledged. */
  public enum Sync {
    /**
     * When the operating system has its bytes: a killed process loses nothing, a power loss can.
     */
    PERIODIC,
    /** When its bytes are on the disk. */
    BATCH
  }

  /** When a write is acknowledged. */
  public static final Setting<Sync> SYNC =
      GROUP
          .setting("commit_log_sync", ValueForm.oneOf(Sync.class), Sync.PERIODIC)
          .element("CommitLogSync")
          .option("--commit-log-sync", "MODE")
          .reason("As in Cassandra.")
          .help(
              "When a write is safe from a power failure: batch (before it is acknowledged) or"
                  + " periodic (within 1000 ms after, unless a file sets the period). In both modes"
                  + " it survives a crash of the process.");

  /** Between two syncs in PERIODIC: how much a power loss can cost. */
  public static final Setting<Duration> SYNC_PERIOD =
      GROUP
          .setting(
              "commit_log_sync_period",
              ValueForm.milliseconds(1, 86_400_000),
              Duration.ofSeconds(1))
          .element("CommitLogSyncPeriodInMS")
          .reason("A tenth of what a power failure costs in Cassandra by default.")
          .help("How much time passes between two syncs in periodic mode.");

  /** The size at which a file of the log is closed. */
  public static final Setting<Long> SEGMENT_BYTES =
      GROUP
          .setting("commit_log_segment_bytes", ValueForm.mebibytes(1, 1024), 128L << 20)
          .element("CommitLogRotationThresholdInMB")
          .reason("As in Cassandra.")
          .help("The size at which a file of the commit log is closed and the next one begun.");

  private CommitLogOptions() {}
}
