package dev.colonnade.server.base.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How a node finds and treats other nodes.
 *
 * @param name nodes of a cluster with another name are refused, and so is data written under
 *     another
 * @param partitioner short, old or class name; fixed when the data directory is first used
 * @param initialToken as the partitioner prints it; empty lets the node choose one
 * @param tokens how many a new node takes, 1 to 1,024; with several, {@code initialToken} names all
 *     of them separated by commas, or is empty
 * @param seeds addresses of nodes that a new node contacts first; empty means that it is alone
 * @param snitch decides which rack and data centre a node is in
 * @param location the settings that a snitch reads
 * @param autoBootstrap whether a new node fetches its share of the data before it serves
 * @param hintedHandoff whether writes for a node that is down are kept for it
 * @param hintInterval between two scans for hints that no signal caused to be delivered
 * @param readRepair whether reads compare replicas at all
 * @param phiThreshold suspicion at which a node counts as down, 5 to 16
 * @param streamBytesPerSecond the pace of all ranges that the node sends to others together; 0 for
 *     no limit
 */
public record ClusterSettings(
    String name,
    String partitioner,
    String initialToken,
    int tokens,
    List<String> seeds,
    Snitch snitch,
    LocationSettings location,
    boolean autoBootstrap,
    boolean hintedHandoff,
    Duration hintInterval,
    boolean readRepair,
    double phiThreshold,
    long streamBytesPerSecond) {

  /** The source of a node's rack and data centre. */
  public enum Snitch {
    /** All nodes in one rack of one data centre. */
    SIMPLE("SimpleSnitch"),
    /** The second number of the IPv4 address is the data centre, the third the rack. */
    RACK_INFERRING("RackInferringSnitch"),
    /** A file names those of every node. */
    PROPERTY_FILE("PropertyFileSnitch"),
    /** Each node has its own in its settings, and announces them by gossip. */
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
     * Returns the snitch of that name, with or without Cassandra's package; {@code EndPointSnitch}
     * is what 0.6 called {@link #RACK_INFERRING}.
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

    /** All names that {@link #of} accepts, for messages. */
    public static String names() {
      return "SimpleSnitch (all in one rack), EndPointSnitch or RackInferringSnitch (from"
          + " addresses), PropertyFileSnitch (from a file), GossipingPropertyFileSnitch (each node"
          + " says where it stands)";
    }
  }

  /**
   * The old name of every first cluster; the partitioner that needs no balancing; one token, as
   * each node had then; phi 5, which notices a dead node soon and is the figure that Facebook gave;
   * 25 MB/s for streams, which leaves most of a gigabit and of a disk to clients.
   */
  public static final ClusterSettings DEFAULT =
      new ClusterSettings(
          "Test Cluster",
          "RandomPartitioner",
          "",
          1,
          List.of(),
          Snitch.SIMPLE,
          LocationSettings.DEFAULT,
          false,
          true,
          Duration.ofMinutes(15),
          true,
          5,
          25_000_000);

  private static final long MAX_HINT_INTERVAL_SECONDS = 86_400;

  /** Checks the bounds. */
  public ClusterSettings {
    seeds = List.copyOf(seeds);
    if (name.isEmpty() || name.length() > 100) {
      throw new IllegalArgumentException("the cluster's name has 1 to 100 characters");
    }
    SettingChecks.range("streamBytesPerSecond", streamBytesPerSecond, 0, Long.MAX_VALUE);
    SettingChecks.range("tokens", tokens, 1, 1_024);
    SettingChecks.range(
        "hintInterval in seconds", hintInterval.toSeconds(), 1, MAX_HINT_INTERVAL_SECONDS);
    SettingChecks.range("phiThreshold", phiThreshold, 5, 16);
  }

  /** Returns these settings with another name. */
  public ClusterSettings withName(String changed) {
    return with(draft -> draft.name = changed);
  }

  /** Returns these settings with another partitioner. */
  public ClusterSettings withPartitioner(String changed) {
    return with(draft -> draft.partitioner = changed);
  }

  /** Returns these settings with a token. */
  public ClusterSettings withInitialToken(String changed) {
    return with(draft -> draft.initialToken = changed);
  }

  /** Returns these settings with another number of tokens. */
  public ClusterSettings withTokens(int changed) {
    return with(draft -> draft.tokens = changed);
  }

  /** Returns these settings with other seeds. */
  public ClusterSettings withSeeds(List<String> changed) {
    return with(draft -> draft.seeds = changed);
  }

  /** Returns these settings with another snitch. */
  public ClusterSettings withSnitch(Snitch changed) {
    return with(draft -> draft.snitch = changed);
  }

  /** Returns these settings with other settings for the snitch. */
  public ClusterSettings withLocation(LocationSettings changed) {
    return with(draft -> draft.location = changed);
  }

  /** Returns these settings with or without bootstrap at the first start. */
  public ClusterSettings withAutoBootstrap(boolean changed) {
    return with(draft -> draft.autoBootstrap = changed);
  }

  /** Returns these settings with or without hints. */
  public ClusterSettings withHintedHandoff(boolean changed) {
    return with(draft -> draft.hintedHandoff = changed);
  }

  /** Returns these settings with another interval between scans for hints. */
  public ClusterSettings withHintInterval(Duration changed) {
    return with(draft -> draft.hintInterval = changed);
  }

  /** Returns these settings with or without read repair. */
  public ClusterSettings withReadRepair(boolean changed) {
    return with(draft -> draft.readRepair = changed);
  }

  /** Returns these settings with another threshold of suspicion. */
  public ClusterSettings withPhiThreshold(double changed) {
    return with(draft -> draft.phiThreshold = changed);
  }

  /** Returns these settings with another pace of streams. */
  public ClusterSettings withStreamBytesPerSecond(long changed) {
    return with(draft -> draft.streamBytesPerSecond = changed);
  }

  private ClusterSettings with(Consumer<ClusterDraft> change) {
    ClusterDraft draft = new ClusterDraft(this);
    change.accept(draft);
    return draft.settings();
  }

  /** A mutable copy of the settings. */
  private static final class ClusterDraft {
    String name;
    String partitioner;
    String initialToken;
    int tokens;
    List<String> seeds;
    Snitch snitch;
    LocationSettings location;
    boolean autoBootstrap;
    boolean hintedHandoff;
    Duration hintInterval;
    boolean readRepair;
    double phiThreshold;
    long streamBytesPerSecond;

    ClusterDraft(ClusterSettings from) {
      name = from.name;
      partitioner = from.partitioner;
      initialToken = from.initialToken;
      tokens = from.tokens;
      seeds = from.seeds;
      snitch = from.snitch;
      location = from.location;
      autoBootstrap = from.autoBootstrap;
      hintedHandoff = from.hintedHandoff;
      hintInterval = from.hintInterval;
      readRepair = from.readRepair;
      phiThreshold = from.phiThreshold;
      streamBytesPerSecond = from.streamBytesPerSecond;
    }

    ClusterSettings settings() {
      return new ClusterSettings(
          name,
          partitioner,
          initialToken,
          tokens,
          seeds,
          snitch,
          location,
          autoBootstrap,
          hintedHandoff,
          hintInterval,
          readRepair,
          phiThreshold,
          streamBytesPerSecond);
    }
  }
}
