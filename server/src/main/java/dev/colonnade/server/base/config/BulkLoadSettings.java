package dev.colonnade.server.base.config;

import java.time.Duration;

/** How a node takes sorted rows from clients in bulk. */
public final class BulkLoadSettings {

  static final SettingGroup GROUP = new SettingGroup("Bulk load");

  /** Loads that are open at a time. */
  public static final Setting<Integer> CONCURRENCY =
      GROUP
          .setting("bulk_load_concurrency", ValueForm.wholeNumber(1, 64), 4)
          .option("--bulk-loads", "NUMBER")
          .reason(
              "Each writes a data file of its own, holds two chunks in memory, and takes turns with"
                  + " compactions. Four keep a disk busy.")
          .help(
              "How many bulk loads are open at a time, also while their clients send nothing;"
                  + " further ones are refused as overload.");

  /** The pace of all loads together; 0 for no limit. */
  public static final Setting<Long> BYTES_PER_SECOND =
      GROUP
          .setting(
              "bulk_load_bytes_per_second",
              ValueForm.megabytesPerSecond(0, Integer.MAX_VALUE),
              100_000_000L)
          .option("--bulk-load-limit", "MB")
          .reason(
              "What a gigabit carries, and a part of what an SSD writes, so that reads and log keep"
                  + " theirs.")
          .live()
          .help("How fast the node takes rows of all bulk loads together; 0 for no limit.");

  /** How long a client may say nothing. */
  public static final Setting<Duration> IDLE_TIMEOUT =
      GROUP
          .setting("bulk_load_idle_timeout", ValueForm.seconds(1, 86_400), Duration.ofMinutes(1))
          .option("--bulk-load-idle", "SECONDS")
          .reason(
              "A minute is far more than a client needs for a chunk. An open load holds one of few"
                  + " places, and tombstones of its family are kept for it.")
          .help("A bulk load whose client has sent nothing for this long is ended.");

  private BulkLoadSettings() {}
}
