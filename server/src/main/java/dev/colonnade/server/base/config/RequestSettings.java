package dev.colonnade.server.base.config;

import java.time.Duration;

/**
 * How long requests may take, and how many are served at once.
 *
 * @param rpcTimeout how long to wait for other nodes if the caller has no deadline
 * @param readThreads reads of files at once; 0: as many as the machine's processors suggest
 * @param queuedReads reads that may wait for a thread; beyond it a read is refused as overload
 */
public record RequestSettings(Duration rpcTimeout, int readThreads, int queuedReads) {

  /**
   * Ten seconds are Cassandra's. The queue holds a second or two of work: callers that wait longer
   * have given up.
   */
  public static final RequestSettings DEFAULT =
      new RequestSettings(Duration.ofSeconds(10), 0, 4096);

  /** Checks the bounds. */
  public RequestSettings {
    SettingChecks.positive("rpcTimeout", rpcTimeout);
    SettingChecks.range("readThreads", readThreads, 0, 1024);
    SettingChecks.range("queuedReads", queuedReads, 1, 1 << 20);
  }

  /** Returns these settings with another timeout. */
  public RequestSettings withRpcTimeout(Duration timeout) {
    return new RequestSettings(timeout, readThreads, queuedReads);
  }

  /** Returns these settings with another number of threads for reads. */
  public RequestSettings withReadThreads(int threads) {
    return new RequestSettings(rpcTimeout, threads, queuedReads);
  }
}
