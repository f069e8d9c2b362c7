package dev.colonnade.server.coordinator;

import java.time.Duration;

/**
 * How long the coordinator waits for replicas, and how hard it tries.
 *
 * @param timeout of a request whose caller has no deadline
 * @param hedgeFloor a replica is late at the earliest after so long; its own usual latency may make
 *     it more
 * @param answerMargin so long before the caller's deadline the answer is given that not enough
 *     replicas have answered, so that the caller hears it and not merely its own clock; never more
 *     than a tenth of the time left
 * @param readRepair whether replicas that differ are mended before a read is answered. Without it a
 *     value that one read has seen may be missing from the next one at the same level
 * @param scanWidth how many ranges of different owners one scan asks at once at most
 */
public record CoordinatorSettings(
    Duration timeout,
    Duration hedgeFloor,
    Duration answerMargin,
    boolean readRepair,
    int scanWidth) {

  /**
   * Ten seconds are Cassandra's. Twenty milliseconds are far above a healthy read between nodes and
   * hardly felt by people. Twenty-five are enough for a deadline to be noticed and for the way
   * back. Thirty-two ranges at once take a scan of an empty table on 25,600 of them to its end in a
   * second or two, and are no more than a busy client asks by itself.
   */
  public static final CoordinatorSettings DEFAULT =
      new CoordinatorSettings(
          Duration.ofSeconds(10), Duration.ofMillis(20), Duration.ofMillis(25), true, 32);

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

  /** The same without mending what reads find. */
  public CoordinatorSettings withoutReadRepair() {
    return new CoordinatorSettings(timeout, hedgeFloor, answerMargin, false, scanWidth);
  }
}
