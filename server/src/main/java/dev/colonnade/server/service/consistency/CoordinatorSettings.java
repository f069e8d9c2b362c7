package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.config.RequestSettings;
import java.time.Duration;

/**
 * How long the coordinator waits for replicas, and how much it asks of them.
 *
 * @param timeout of a request whose caller has no deadline
 * @param hedgeFloor the least time after which a replica counts as slow; its usual latency may
 *     raise it
 * @param answerMargin how long before the caller's deadline a call fails for lack of answers, so
 *     that the caller learns the reason instead of running into its own timeout; never more than a
 *     tenth of the time left
 * @param readRepair whether replicas that differ are repaired before a read is answered. Without it
 *     a value that one read returned may be missing from the next read at the same level
 * @param scanWidth how many ranges of different owners one scan reads at once at most
 */
public record CoordinatorSettings(
    Duration timeout,
    Duration hedgeFloor,
    Duration answerMargin,
    boolean readRepair,
    int scanWidth) {

  /**
   * A hedge floor of 20 ms is far above a healthy read between nodes and hardly noticeable to a
   * user. An answer margin of 25 ms is enough to notice a deadline and to send the answer. A scan
   * width of 32 finishes a scan of an empty table over 25,600 ranges in a second or two, and is no
   * more than one busy client asks.
   */
  public static final CoordinatorSettings DEFAULT =
      new CoordinatorSettings(
          RequestSettings.RPC_TIMEOUT.defaultValue(),
          Duration.ofMillis(20),
          Duration.ofMillis(25),
          ReplicationSettings.READ_REPAIR.defaultValue(),
          32);

  /** Checks the bounds. */
  public CoordinatorSettings {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("timeout must be positive, not " + timeout);
    }
    if (hedgeFloor.isNegative() || hedgeFloor.isZero()) {
      throw new IllegalArgumentException("hedgeFloor must be positive, not " + hedgeFloor);
    }
    if (answerMargin.isNegative()) {
      throw new IllegalArgumentException("answerMargin must not be negative: " + answerMargin);
    }
    if (scanWidth < 1) {
      throw new IllegalArgumentException("scanWidth must be positive, not " + scanWidth);
    }
  }

  /** The same with another timeout. */
  public CoordinatorSettings withTimeout(Duration other) {
    return new CoordinatorSettings(other, hedgeFloor, answerMargin, readRepair, scanWidth);
  }

  /** The same without blocking read repair. */
  public CoordinatorSettings withoutReadRepair() {
    return new CoordinatorSettings(timeout, hedgeFloor, answerMargin, false, scanWidth);
  }
}
