package dev.colonnade.server.config;

import java.time.Duration;

/**
 * What a request may ask for, and how much of them is done at once.
 *
 * @param pageBytes an answer without {@code page_bytes} is cut at so many
 * @param maxPageBytes the most that a request can ask for
 * @param maxValueBytes the longest value of a column
 * @param maxMessageBytes the longest message taken from a client
 * @param rpcTimeout how long other nodes are waited for, where the caller has no deadline
 * @param readThreads reads of files at once
 * @param writeThreads other blocking work of writes at once
 * @param queuedReads reads that may wait for a thread; beyond it a read is refused as overload
 * @param queuedWrites the same for writes
 */
public record RequestSettings(
    int pageBytes,
    int maxPageBytes,
    int maxValueBytes,
    int maxMessageBytes,
    Duration rpcTimeout,
    int readThreads,
    int writeThreads,
    int queuedReads,
    int queuedWrites) {

  /**
   * Pages of 1 MiB, 2 MiB at most, and values of 2 MiB, so that every answer is below the 4 MiB
   * that generated clients accept by default. Ten seconds and 8 and 32 threads are Cassandra's. The
   * queues hold a second or two of work: who waits longer has given up.
   */
  public static final RequestSettings DEFAULT =
      new RequestSettings(
          1 << 20, 2 << 20, 2 << 20, 16 << 20, Duration.ofSeconds(10), 8, 32, 4096, 4096);

  /** Checks the bounds. */
  public RequestSettings {
    Bounds.range("maxPageBytes", maxPageBytes, 1 << 10, 1 << 30);
    Bounds.range("pageBytes", pageBytes, 1, maxPageBytes);
    Bounds.range("maxValueBytes", maxValueBytes, 1, 1 << 30);
    Bounds.range("maxMessageBytes", maxMessageBytes, maxValueBytes, Integer.MAX_VALUE);
    Bounds.positive("rpcTimeout", rpcTimeout);
    Bounds.range("readThreads", readThreads, 2, 1024);
    Bounds.range("writeThreads", writeThreads, 2, 1024);
    Bounds.range("queuedReads", queuedReads, 1, 1 << 20);
    Bounds.range("queuedWrites", queuedWrites, 1, 1 << 20);
  }

  /** With another time-out. */
  public RequestSettings withRpcTimeout(Duration timeout) {
    return new RequestSettings(
        pageBytes,
        maxPageBytes,
        maxValueBytes,
        maxMessageBytes,
        timeout,
        readThreads,
        writeThreads,
        queuedReads,
        queuedWrites);
  }

  /** With other numbers of threads. */
  public RequestSettings withThreads(int reads, int writes) {
    return new RequestSettings(
        pageBytes,
        maxPageBytes,
        maxValueBytes,
        maxMessageBytes,
        rpcTimeout,
        reads,
        writes,
        queuedReads,
        queuedWrites);
  }
}
