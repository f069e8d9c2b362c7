package dev.colonnade.server.base.config;

import java.time.Duration;

/** When a node considers itself unhealthy, and what it does then. */
public final class HealthSettings {

  static final SettingGroup GROUP = new SettingGroup("Health");

  /**
   * Work without progress for longer is stalled: a stage, an event loop, the write pipeline; work
   * that waits for its turn between its steps has thirty times as long.
   */
  public static final Setting<Duration> STALL_LIMIT =
      GROUP
          .setting("stall_limit", ValueForm.seconds(1, 86_400), Duration.ofSeconds(10))
          .element("StallLimitInSeconds")
          .isNew()
          .reason(
              "As long as a client waits for an answer by default. A disk that is slow under load"
                  + " takes a second or two, a pause of the Java machine less.")
          .live()
          .help(
              "A task that makes no progress for longer is reported to probes and to the other"
                  + " nodes.");

  /** What a node does after a disk has failed a read, a write or a sync. */
  public static final Setting<DiskFailurePolicy> DISK_FAILURES =
      GROUP
          .setting(
              "disk_failure_policy",
              ValueForm.oneOf(DiskFailurePolicy.class),
              DiskFailurePolicy.BEST_EFFORT)
          .option("--disk-failure-policy", "POLICY")
          .reason(
              "Clients lose nothing that a sound replica or this node itself could still give"
                  + " them.")
          .help(
              "What the node does once a disk returns errors: stop (end the process), refuse (no"
                  + " reads and writes until a restart) or best_effort (continue with what works,"
                  + " and tell clients and peers to prefer other nodes until a minute after the"
                  + " last error).");

  private HealthSettings() {}

  /** What a node does after a disk has failed a read, a write or a sync. */
  public enum DiskFailurePolicy {
    /** It ends its process, so that peers take over at once and an operator looks at the disk. */
    STOP,
    /** It refuses reads and writes until a restart, and still answers requests about its state. */
    REFUSE,
    /**
     * It goes on with what works: peers and clients are told to prefer others while errors come,
     * and for a minute longer.
     */
    BEST_EFFORT
  }
}
