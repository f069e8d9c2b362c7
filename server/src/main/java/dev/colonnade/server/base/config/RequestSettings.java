package dev.colonnade.server.base.config;

import java.time.Duration;

/** How long requests may take, and how many are served at once. */
public final class RequestSettings {

  static final SettingGroup GROUP = new SettingGroup("Requests");

  /** How long to wait for other nodes if the caller has no deadline. */
  public static final Setting<Duration> RPC_TIMEOUT =
      GROUP
          .setting("rpc_timeout", ValueForm.milliseconds(1, 86_400_000), Duration.ofSeconds(10))
          .element("RpcTimeoutInMillis")
          .live()
          .reason("As in Cassandra.")
          .help("How long a call may take, and waits for other nodes, if it has no deadline.");

  /** From when on a call of a client is logged and shown as slow; zero: never. */
  public static final Setting<Duration> SLOW_REQUEST_THRESHOLD =
      GROUP
          .setting(
              "slow_request_threshold",
              ValueForm.milliseconds(0, 86_400_000),
              Duration.ofMillis(500))
          .element("SlowRequestThresholdInMillis")
          .isNew()
          .reason("Long enough to annoy someone who waits, and shorter than any usual deadline.")
          .live()
          .help(
              "A data call of a client that takes this long is logged and shown on the status page;"
                  + " 0 for none.");

  /** Reads of files at once; 0: as many as the machine's processors suggest. */
  public static final Setting<Integer> READ_THREADS =
      GROUP
          .setting("read_threads", ValueForm.wholeNumber(0, 1024), 0)
          .element("ConcurrentReads", ValueForm.wholeNumber(2, 1024))
          .defaultText("by the number of processors")
          .help("How many reads of files run at once.");

  /** Reads that may wait for a thread; beyond it a read is refused as overload. */
  public static final Setting<Integer> QUEUED_READS =
      GROUP
          .setting("queued_reads", ValueForm.wholeNumber(1, 1 << 20), 4096)
          .reason(
              "The queue holds a second or two of work: callers that wait longer have given up.")
          .help("How many reads may wait for a thread; further ones are refused as overload.");

  /**
   * The longest value that clients may write, in bytes. The bound leaves room for a key, names and
   * a page token of the greatest lengths in a message of 16 MiB, which is what nodes take of
   * clients and what a client has to take of nodes.
   */
  public static final Setting<Long> MAX_VALUE_BYTES =
      GROUP
          .setting("max_value_bytes", ValueForm.bytes(1 << 10, 15 << 20), 2L << 20)
          .element("MaxValueSizeInBytes")
          .isNew()
          .reason("An answer with such a value fits the 4 MiB that gRPC's clients take by default.")
          .help("The longest value of a column that clients may write here.");

  private RequestSettings() {}
}
