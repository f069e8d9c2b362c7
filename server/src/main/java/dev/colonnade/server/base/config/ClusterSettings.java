package dev.colonnade.server.base.config;

import java.time.Duration;
import java.util.List;

/** How a node finds other nodes, and which place it takes among them. */
public final class ClusterSettings {

  static final SettingGroup GROUP = new SettingGroup("Cluster");

  /** Nodes of a cluster with another name are refused, and so is data written under another. */
  public static final Setting<String> NAME =
      GROUP
          .setting("cluster_name", ValueForm.name(100), "Test Cluster")
          .element("ClusterName")
          .option("--cluster-name", "NAME")
          .reason("The name of every first cluster of Cassandra.")
          .forFirstStart()
          .help("The cluster's name. Nodes with another name are refused.");

  /** Short, old or class name. */
  public static final Setting<String> PARTITIONER =
      GROUP
          .setting(
              "partitioner",
              ValueForm.text("the name of a partitioner", text -> true),
              "RandomPartitioner")
          .element("Partitioner")
          .option("--partitioner", "NAME")
          .reason("It needs no balancing.")
          .forFirstStart()
          .help(
              "The partitioner, which orders and places rows: RandomPartitioner,"
                  + " OrderPreservingPartitioner, CollatingOrderPreservingPartitioner,"
                  + " ByteOrderedPartitioner, or a class of yours.");

  /** Nodes that a new node contacts first, each {@code host} or {@code host:port}. */
  public static final Setting<List<String>> SEEDS =
      GROUP
          .setting("seeds", ValueForm.list(), List.of())
          .elementWithChildren("Seeds", "Seed")
          .option("--seeds", "HOST[:PORT]")
          .defaultText("none")
          .help(
              "Nodes to contact first, to learn of all others, separated by commas; the port is the"
                  + " peer port, that of this node unless given. Give every node the same two or"
                  + " three. Without seeds a node is alone until others name it as their seed.");

  /** As the partitioner prints it; empty lets the node choose one. */
  public static final Setting<String> INITIAL_TOKEN =
      GROUP
          .setting("initial_token", ValueForm.text("a token of the partitioner", text -> true), "")
          .element("InitialToken")
          .option("--initial-token", "TOKEN")
          .defaultText("chosen by the node")
          .forFirstStart()
          .help("The node's token, its place on the ring; several are separated by commas.");

  /** How many tokens a new node takes; if several, the initial token names all of them or none. */
  public static final Setting<Integer> TOKENS =
      GROUP
          .setting("tokens", ValueForm.wholeNumber(1, 1_024), 1)
          .option("--tokens", "N")
          .reason("One, as each node had in Cassandra 0.6.")
          .forFirstStart()
          .help(
              "How many tokens the node has. Several are chosen at random, or all given by"
                  + " --initial-token, separated by commas; such a node cannot move.");

  /** Whether a new node fetches its share of the data before it serves. */
  public static final Setting<Boolean> AUTO_BOOTSTRAP =
      GROUP
          .setting("auto_bootstrap", ValueForm.flag(), false)
          .element("AutoBootstrap")
          .option("--bootstrap", "")
          .forFirstStart()
          .help(
              "Whether a new node fetches its share of the data from the others before it serves."
                  + " Use --no-bootstrap for the first nodes of a new cluster.");

  /** How long a change waits until all nodes can be expected to act on an announcement. */
  public static final Setting<Duration> RING_DELAY =
      GROUP
          .setting("ring_delay", ValueForm.seconds(1, 600), Duration.ofSeconds(10))
          .option("--ring-delay", "SECONDS")
          .reason("Gossip reaches a thousand nodes in some ten rounds of a second.")
          .help(
              "How long a change of the ring waits for all nodes to learn of it. Two seconds are"
                  + " enough for nodes on one machine.");

  /** Suspicion at which a node counts as down. */
  public static final Setting<Double> PHI_THRESHOLD =
      GROUP
          .setting("phi_threshold", ValueForm.number(5, 16), 5.0)
          .element("PhiConvictThreshold")
          .live()
          .reason("Notices a dead node soon, and is the figure that Facebook gave.")
          .help("The suspicion (phi) at which a silent node counts as down.");

  /** From when on the node says that its clock is wrong. */
  public static final Setting<Duration> CLOCK_OFFSET_LIMIT =
      GROUP
          .setting(
              "clock_offset_limit", ValueForm.milliseconds(1, 86_400_000), Duration.ofMillis(500))
          .element("ClockOffsetLimitInMillis")
          .isNew()
          .live()
          .reason("NTP keeps clocks within some milliseconds; half a second shows that it fails.")
          .help(
              "How far the node's clock may differ from those of the other nodes before /readyz and"
                  + " its log say so.");

  private ClusterSettings() {}
}
