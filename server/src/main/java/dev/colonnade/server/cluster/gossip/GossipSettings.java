package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.time.Duration;
import java.util.List;

/**
 * How a node gossips.
 *
 * @param clusterName nodes of a cluster of another name are refused
 * @param partitioner nodes with another one are refused: they would place rows elsewhere
 * @param seeds contacted by a node that knows no other; its own address among them is ignored
 * @param interval between rounds, and so between heartbeats
 * @param phiThreshold suspicion above which a node counts as down
 * @param departedFor how long a node that left or was removed is remembered at most, whatever
 *     expiry its status names
 * @param quarantine how long, after a node was forgotten, news of it are not believed: nodes that
 *     forget it a little later must not bring it back
 * @param maxMembers nodes that are remembered; further ones are refused
 * @param maxMessageBytes if a message would become longer, the rest waits for another round
 */
public record GossipSettings(
    String clusterName,
    String partitioner,
    List<PeerAddress> seeds,
    Duration interval,
    double phiThreshold,
    Duration departedFor,
    Duration quarantine,
    int maxMembers,
    int maxMessageBytes) {

  /** Checks the ranges. */
  public GossipSettings {
    seeds = List.copyOf(seeds);
    if (interval.toMillis() < 10
        || departedFor.isNegative()
        || quarantine.isNegative()
        || maxMembers < 1
        || maxMessageBytes < 64 << 10) {
      throw new IllegalArgumentException(
          "gossip wants an interval of at least 10 ms, room for a member, and messages of at least"
              + " 64 KiB");
    }
  }

  /**
   * Returns the defaults for a cluster. A heartbeat a second and phi 5 notice a dead node after
   * some 12 s. Three days let nodes that were away for a weekend hear of a departure; a quarantine
   * of a minute covers clock differences and paused nodes. Ten thousand members are more than one
   * ring will have, and know each other in some 20 MB. A message of 1 MiB holds the whole state of
   * 5,000 nodes, or of some 700 that have certificates.
   */
  public static GossipSettings of(String clusterName, String partitioner, List<PeerAddress> seeds) {
    return new GossipSettings(
        clusterName,
        partitioner,
        seeds,
        Duration.ofSeconds(1),
        ClusterSettings.PHI_THRESHOLD.defaultValue(),
        Duration.ofDays(3),
        Duration.ofMinutes(1),
        10_000,
        1 << 20);
  }

  /** Returns these settings with another threshold of suspicion. */
  public GossipSettings withPhiThreshold(double threshold) {
    return new GossipSettings(
        clusterName,
        partitioner,
        seeds,
        interval,
        threshold,
        departedFor,
        quarantine,
        maxMembers,
        maxMessageBytes);
  }
}
