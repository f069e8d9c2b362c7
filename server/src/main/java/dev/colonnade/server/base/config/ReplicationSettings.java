package dev.colonnade.server.base.config;

import java.time.Duration;

/** How a node keeps the replicas of its rows alike. */
public final class ReplicationSettings {

  static final SettingGroup GROUP = new SettingGroup("Replication");

  /** Whether writes for a node that is down are kept for it. */
  public static final Setting<Boolean> HINTED_HANDOFF =
      GROUP
          .setting("hinted_handoff", ValueForm.flag(), true)
          .element("HintedHandoffEnabled")
          .help("Whether writes for a node that is down are kept for it.");

  /** Between two scans for hints that no signal caused to be delivered. */
  public static final Setting<Duration> HINT_INTERVAL =
      GROUP
          .setting("hint_interval", ValueForm.seconds(1, 86_400), Duration.ofMinutes(15))
          .element("HintedHandoffIntervalInSeconds")
          .isNew()
          .option("--hint-interval", "SECONDS")
          .live()
          .help(
              "How much time passes between two scans for hints (writes kept for other nodes) that"
                  + " can be delivered. A node that comes back receives its hints at once in any"
                  + " case; the scan finds those that a missed signal left behind, and drops those"
                  + " that are too old.");

  /** The pace of all hints that the node delivers together; 0 for no limit. */
  public static final Setting<Long> HINT_BYTES_PER_SECOND =
      GROUP
          .setting("hint_bytes_per_second", ValueForm.bytes(0, 1L << 40), 8L << 20)
          .reason("A tenth of what a slow disk or network can do.")
          .live()
          .help(
              "How fast the node delivers hints (writes kept for other nodes), to all nodes"
                  + " together; 0 for no limit.");

  /** Whether reads compare replicas at all. */
  public static final Setting<Boolean> READ_REPAIR =
      GROUP
          .setting("read_repair", ValueForm.flag(), true)
          .element("DoConsistencyChecksBoolean")
          .live()
          .help("Whether reads compare the replicas, and repair those that differ.");

  /** The pace of all ranges that the node sends to others together; 0 for no limit. */
  public static final Setting<Long> STREAM_BYTES_PER_SECOND =
      GROUP
          .setting(
              "stream_bytes_per_second",
              ValueForm.megabytesPerSecond(0, Integer.MAX_VALUE),
              25_000_000L)
          .option("--stream-limit", "MB")
          .reason("Leaves most of a gigabit and of a disk to clients.")
          .live()
          .help(
              "How fast the node sends ranges of its data to others (joins, moves, repairs); 0 for"
                  + " no limit.");

  private ReplicationSettings() {}
}
