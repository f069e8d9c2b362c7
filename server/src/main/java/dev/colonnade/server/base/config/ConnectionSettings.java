package dev.colonnade.server.base.config;

import java.time.Duration;

/**
 * How many clients may be connected to a node, and how long it waits for them.
 *
 * @param maxClients connections of clients at a time; 0 for one for each 256 KiB of heap, 1,024 at
 *     least
 * @param readerTimeout an answer, or a stream, whose reader takes nothing for this long is ended
 */
public record ConnectionSettings(int maxClients, Duration readerTimeout) {

  /**
   * A connection takes up to 100 KiB of heap; a reader may pause while it works on what it has
   * received.
   */
  public static final ConnectionSettings DEFAULT = new ConnectionSettings(0, Duration.ofMinutes(5));

  private static final long HEAP_BYTES_PER_CLIENT = 256 << 10;
  private static final int CLIENTS_MIN = 1_024;
  private static final int CLIENTS_MAX = 1 << 20;

  /** Checks the bounds. */
  public ConnectionSettings {
    SettingChecks.range("maxClients", maxClients, 0, CLIENTS_MAX);
    SettingChecks.positive("readerTimeout", readerTimeout);
  }

  /** Returns these settings with another number of clients. */
  public ConnectionSettings withMaxClients(int connections) {
    return new ConnectionSettings(connections, readerTimeout);
  }

  /** Returns these settings with another reader timeout. */
  public ConnectionSettings withReaderTimeout(Duration timeout) {
    return new ConnectionSettings(maxClients, timeout);
  }

  /** How many client connections a node with that heap accepts. */
  public int maxClients(long heapBytes) {
    long byHeap = Math.max(CLIENTS_MIN, heapBytes / HEAP_BYTES_PER_CLIENT);
    return maxClients == 0 ? (int) Math.min(CLIENTS_MAX, byHeap) : maxClients;
  }
}
