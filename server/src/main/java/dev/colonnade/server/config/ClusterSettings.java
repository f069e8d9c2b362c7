package dev.colonnade.server.config;

import java.util.List;

/**
 * How a node finds and treats the others.
 *
 * @param name nodes of another cluster's name are refused, and so is data written under another
 * @param partitioner short, old or class name; fixed when the data directory is first used
 * @param initialToken as the partitioner prints it; empty lets the node choose one
 * @param seeds addresses of nodes that a new node asks first; empty means that it is alone
 * @param snitch says which rack and data centre a node is in
 * @param autoBootstrap whether a new node takes its share of the data before it serves
 * @param hintedHandoff whether writes for a node that is down are kept for it
 * @param readRepair whether reads compare replicas at all
 * @param phiThreshold suspicion at which a node counts as down, 5 to 16
 */
public record ClusterSettings(
    String name,
    String partitioner,
    String initialToken,
    List<String> seeds,
    Snitch snitch,
    boolean autoBootstrap,
    boolean hintedHandoff,
    boolean readRepair,
    double phiThreshold) {

  /** Where a node's rack and data centre come from. */
  public enum Snitch {
    /** All nodes in one rack of one data centre. */
    SIMPLE("SimpleSnitch"),
    /** The second number of the IPv4 address is the data centre, the third the rack. */
    RACK_INFERRING("RackInferringSnitch");

    private final String shortName;

    Snitch(String shortName) {
      this.shortName = shortName;
    }

    /** The name that answers show. */
    public String shortName() {
      return shortName;
    }
  }

  /**
   * The old name of every first cluster; the partitioner that needs no balancing; phi 5, which
   * notices a dead node soon and is the figure that Facebook gave.
   */
  public static final ClusterSettings DEFAULT =
      new ClusterSettings(
          "Test Cluster", "RandomPartitioner", "", List.of(), Snitch.SIMPLE, false, true, true, 5);

  /** Checks the bounds. */
  public ClusterSettings {
    seeds = List.copyOf(seeds);
    if (name.isEmpty() || name.length() > 100) {
      throw new IllegalArgumentException("the cluster's name has 1 to 100 characters");
    }
    Bounds.range("phiThreshold", phiThreshold, 5, 16);
  }

  /** With another name. */
  public ClusterSettings withName(String changed) {
    return new ClusterSettings(
        changed,
        partitioner,
        initialToken,
        seeds,
        snitch,
        autoBootstrap,
        hintedHandoff,
        readRepair,
        phiThreshold);
  }

  /** With another partitioner. */
  public ClusterSettings withPartitioner(String changed) {
    return new ClusterSettings(
        name,
        changed,
        initialToken,
        seeds,
        snitch,
        autoBootstrap,
        hintedHandoff,
        readRepair,
        phiThreshold);
  }

  /** With a token. */
  public ClusterSettings withInitialToken(String changed) {
    return new ClusterSettings(
        name,
        partitioner,
        changed,
        seeds,
        snitch,
        autoBootstrap,
        hintedHandoff,
        readRepair,
        phiThreshold);
  }

  /** With other seeds. */
  public ClusterSettings withSeeds(List<String> changed) {
    return new ClusterSettings(
        name,
        partitioner,
        initialToken,
        changed,
        snitch,
        autoBootstrap,
        hintedHandoff,
        readRepair,
        phiThreshold);
  }

  /** With another snitch. */
  public ClusterSettings withSnitch(Snitch changed) {
    return new ClusterSettings(
        name,
        partitioner,
        initialToken,
        seeds,
        changed,
        autoBootstrap,
        hintedHandoff,
        readRepair,
        phiThreshold);
  }

  /** With or without taking data at the first start. */
  public ClusterSettings withAutoBootstrap(boolean changed) {
    return new ClusterSettings(
        name,
        partitioner,
        initialToken,
        seeds,
        snitch,
        changed,
        hintedHandoff,
        readRepair,
        phiThreshold);
  }

  /** With or without hints. */
  public ClusterSettings withHintedHandoff(boolean changed) {
    return new ClusterSettings(
        name,
        partitioner,
        initialToken,
        seeds,
        snitch,
        autoBootstrap,
        changed,
        readRepair,
        phiThreshold);
  }

  /** With or without repair on reads. */
  public ClusterSettings withReadRepair(boolean changed) {
    return new ClusterSettings(
        name,
        partitioner,
        initialToken,
        seeds,
        snitch,
        autoBootstrap,
        hintedHandoff,
        changed,
        phiThreshold);
  }

  /** With another threshold of suspicion. */
  public ClusterSettings withPhiThreshold(double changed) {
    return new ClusterSettings(
        name,
        partitioner,
        initialToken,
        seeds,
        snitch,
        autoBootstrap,
        hintedHandoff,
        readRepair,
        changed);
  }
}
