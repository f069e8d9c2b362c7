package dev.colonnade.server.config;

import java.util.List;
import java.util.Optional;

/**
 * How a node finds and treats the others.
 *
 * @param name nodes of another cluster's name are refused, and so is data written under another
 * @param partitioner short, old or class name; fixed when the data directory is first used
 * @param initialToken as the partitioner prints it; empty lets the node choose one
 * @param seeds addresses of nodes that a new node asks first; empty means that it is alone
 * @param snitch says which rack and data centre a node is in
 * @param location what the snitch needs to know, where it reads settings
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
    LocationSettings location,
    boolean autoBootstrap,
    boolean hintedHandoff,
    boolean readRepair,
    double phiThreshold) {

  /** Where a node's rack and data centre come from. */
  public enum Snitch {
    /** All nodes in one rack of one data centre. */
    SIMPLE("SimpleSnitch"),
    /** The second number of the IPv4 address is the data centre, the third the rack. */
    RACK_INFERRING("RackInferringSnitch"),
    /** A file says it of every node. */
    PROPERTY_FILE("PropertyFileSnitch"),
    /** Each node's own settings say it, and gossip tells the others. */
    GOSSIPING("GossipingPropertyFileSnitch");

    private static final String OLD_PACKAGE = "org.apache.cassandra.locator.";
    private static final String OLD_NAME = "EndPointSnitch";

    private final String shortName;

    Snitch(String shortName) {
      this.shortName = shortName;
    }

    /** The name that answers show. */
    public String shortName() {
      return shortName;
    }

    /**
     * The snitch of that name, with or without Cassandra's package; {@code EndPointSnitch} is what
     * 0.6 called {@link #RACK_INFERRING}.
     */
    public static Optional<Snitch> of(String name) {
      String plain = name.startsWith(OLD_PACKAGE) ? name.substring(OLD_PACKAGE.length()) : name;
      if (plain.equals(OLD_NAME)) {
        return Optional.of(RACK_INFERRING);
      }
      for (Snitch snitch : values()) {
        if (snitch.shortName.equals(plain)) {
          return Optional.of(snitch);
        }
      }
      return Optional.empty();
    }

    /** All names that {@link #of} takes, for messages. */
    public static String names() {
      return "SimpleSnitch (all in one rack), EndPointSnitch or RackInferringSnitch (from"
          + " addresses), PropertyFileSnitch (from a file), GossipingPropertyFileSnitch (each node"
          + " says where it stands)";
    }
  }

  /**
   * The old name of every first cluster; the partitioner that needs no balancing; phi 5, which
   * notices a dead node soon and is the figure that Facebook gave.
   */
  public static final ClusterSettings DEFAULT =
      new ClusterSettings(
          "Test Cluster",
          "RandomPartitioner",
          "",
          List.of(),
          Snitch.SIMPLE,
          LocationSettings.DEFAULT,
          false,
          true,
          true,
          5);

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
        location,
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
        location,
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
        location,
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
        location,
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
        location,
        autoBootstrap,
        hintedHandoff,
        readRepair,
        phiThreshold);
  }

  /** With what the snitch needs to know. */
  public ClusterSettings withLocation(LocationSettings changed) {
    return new ClusterSettings(
        name,
        partitioner,
        initialToken,
        seeds,
        snitch,
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
        location,
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
        location,
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
        location,
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
        location,
        autoBootstrap,
        hintedHandoff,
        readRepair,
        changed);
  }
}
