package dev.colonnade.server.net;

import java.time.Duration;

/**
 * The limits of a {@link Messenger}.
 *
 * @param maxPending requests of this node that wait for an answer, each of them some hundred bytes;
 *     one more is refused with {@link PeerFailure.Code#OVERLOADED}
 * @param maxRunning requests of other nodes that are being handled; one more is refused in the same
 *     way
 * @param granularity how late a deadline may be noticed; also the shortest time between two looks
 */
public record MessengerSettings(int maxPending, int maxRunning, Duration granularity) {

  /**
   * At the very worst some 100 MB of requests that wait, and deadlines that are noticed well before
   * a person would. The bytes of what is handled are bounded by the node's memory.
   */
  public static final MessengerSettings DEFAULT =
      new MessengerSettings(100_000, 100_000, Duration.ofMillis(10));

  /** Checks the ranges. */
  public MessengerSettings {
    boolean positive = maxPending > 0 && maxRunning > 0;
    if (!positive || granularity.isNegative() || granularity.isZero()) {
      throw new IllegalArgumentException("limits of a messenger are positive");
    }
  }
}
