package dev.colonnade.server.cluster.net;

import java.time.Duration;

/**
 * The limits of a {@link Messenger}.
 *
 * @param maxPending this node's requests that may wait for an answer, each of some hundred bytes;
 *     more are refused with {@link PeerFailure.Code#OVERLOADED}
 * @param maxRunning other nodes' requests that may be in progress; more are refused in the same way
 * @param granularity how late a deadline may be noticed; also the shortest time between two sweeps
 */
public record MessengerSettings(int maxPending, int maxRunning, Duration granularity) {

  /**
   * At worst, pending requests take some 100 MB; deadlines are noticed well before a user would
   * notice. The node's memory account bounds the bytes of handled requests.
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
