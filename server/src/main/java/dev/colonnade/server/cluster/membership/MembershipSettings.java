package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.config.ClusterSettings;
import java.time.Duration;

/**
 * How long changes wait for what.
 *
 * @param ringDelay after an announcement by gossip, until every node can be expected to act on it;
 *     writes that were begun before are done by then, too
 * @param findLimit how long a new node looks for its cluster
 * @param aloneAfter how long a node looks that may be the first of a new cluster
 * @param retryDelay before a range that failed is requested again
 * @param attemptsMax for one range, over all nodes that have it
 * @param departedFor how long others remember a node that left
 */
public record MembershipSettings(
    Duration ringDelay,
    Duration findLimit,
    Duration aloneAfter,
    Duration retryDelay,
    int attemptsMax,
    Duration departedFor) {

  /**
   * The ring delay outlasts writes, which take ten seconds at most, too. Half a minute suffices for
   * seeds that are starting, too; five seconds are some rounds of gossip with a seed that is up.
   * Three days, as gossip keeps departures.
   */
  public static final MembershipSettings DEFAULT =
      new MembershipSettings(
          ClusterSettings.RING_DELAY.defaultValue(),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          Duration.ofSeconds(2),
          6,
          Duration.ofDays(3));

  /** Returns these settings with another delay. */
  public MembershipSettings withRingDelay(Duration changed) {
    return new MembershipSettings(
        changed, findLimit, aloneAfter, retryDelay, attemptsMax, departedFor);
  }

  /** Checks the ranges. */
  public MembershipSettings {
    if (ringDelay.isNegative()
        || findLimit.isNegative()
        || aloneAfter.isNegative()
        || retryDelay.isNegative()
        || departedFor.isNegative()
        || attemptsMax < 1) {
      throw new IllegalArgumentException("changes take some time and at least one attempt");
    }
  }
}
