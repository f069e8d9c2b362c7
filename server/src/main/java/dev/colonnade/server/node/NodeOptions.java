package dev.colonnade.server.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * The command-line options of a node. Options that are not set come from the configuration file, or
 * else from {@link dev.colonnade.server.base.config.NodeSettings#DEFAULT}.
 *
 * @param dataDirectory data, commit log and plug-ins are below it unless the file puts them
 *     elsewhere
 * @param listenAddress for clients, peers and HTTP
 * @param clientPort 0 for any free one
 * @param peerPort 0 for any free one
 * @param httpPort 0 for any free one
 * @param storageConf a storage-conf.xml
 * @param partitioner set at the first start, checked after
 * @param commitLogSync {@code periodic} or {@code batch}
 * @param diskFailures {@code stop}, {@code refuse} or {@code best_effort}
 * @param membership which cluster, and where in it
 */
public record NodeOptions(
    Path dataDirectory,
    Optional<String> listenAddress,
    OptionalInt clientPort,
    OptionalInt peerPort,
    OptionalInt httpPort,
    Optional<Path> storageConf,
    Optional<String> partitioner,
    Optional<String> commitLogSync,
    Optional<String> diskFailures,
    MembershipOptions membership) {

  /**
   * How the node finds and joins its cluster.
   *
   * @param clusterName nodes of another cluster name are refused
   * @param seeds nodes to contact first, each {@code host} or {@code host:port}; empty if not set
   * @param initialToken its token, at the first start
   * @param tokens how many tokens to take, at the first start
   * @param autoBootstrap whether a new node fetches its share of the data before it serves
   * @param streamMegabytesPerSecond the rate of streams to other nodes; 0 for no limit
   * @param standing data centres and racks
   * @param replacedNode the id of a dead node that a new node replaces
   * @param ringDelay how long ring changes wait for gossip
   * @param hintInterval how often to check for hints that can be delivered
   */
  public record MembershipOptions(
      Optional<String> clusterName,
      List<String> seeds,
      Optional<String> initialToken,
      OptionalInt tokens,
      Optional<Boolean> autoBootstrap,
      OptionalInt streamMegabytesPerSecond,
      StartRole standing,
      Optional<String> replacedNode,
      Optional<Duration> ringDelay,
      Optional<Duration> hintInterval) {

    /** Nothing set: a cluster of one, unless the file says otherwise. */
    public static final MembershipOptions UNSAID =
        new MembershipOptions(
            Optional.empty(),
            List.of(),
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            StartRole.UNSAID,
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    /** Copies the list. */
    public MembershipOptions {
      seeds = List.copyOf(seeds);
    }
  }

  /**
   * The data centres and racks of nodes.
   *
   * @param snitch its name; if neither an option nor the file names one, setting a data centre or
   *     rack selects the gossiping snitch
   * @param datacenter of this node, announced by gossip
   * @param rack of this node, announced by gossip
   * @param file with the data centres and racks of all nodes
   */
  public record StartRole(
      Optional<String> snitch,
      Optional<String> datacenter,
      Optional<String> rack,
      Optional<Path> file) {

    /** Nothing set: as the configuration file says. */
    public static final StartRole UNSAID =
        new StartRole(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Nothing set: one node on loopback, data under {@code ./data}. */
  public static NodeOptions defaults() {
    return new NodeOptions(
        Path.of("data"),
        Optional.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        MembershipOptions.UNSAID);
  }

  /** With another data directory. */
  public NodeOptions withDataDirectory(Path directory) {
    return with(draft -> draft.dataDirectory = directory);
  }

  /** Listening on another address. */
  public NodeOptions withListenAddress(String address) {
    return with(draft -> draft.listenAddress = Optional.of(address));
  }

  /** With another port for clients. */
  public NodeOptions withClientPort(int port) {
    return with(draft -> draft.clientPort = OptionalInt.of(port));
  }

  /** With another port for peers. */
  public NodeOptions withPeerPort(int port) {
    return with(draft -> draft.peerPort = OptionalInt.of(port));
  }

  /** With another port for metrics and health. */
  public NodeOptions withHttpPort(int port) {
    return with(draft -> draft.httpPort = OptionalInt.of(port));
  }

  /** With a configuration file. */
  public NodeOptions withStorageConf(Path file) {
    return with(draft -> draft.storageConf = Optional.of(file));
  }

  /** With a partitioner. */
  public NodeOptions withPartitioner(String name) {
    return with(draft -> draft.partitioner = Optional.of(name));
  }

  /** With a sync mode of the commit log. */
  public NodeOptions withCommitLogSync(String mode) {
    return with(draft -> draft.commitLogSync = Optional.of(mode));
  }

  /** With a disk-failure policy. */
  public NodeOptions withDiskFailures(String policy) {
    return with(draft -> draft.diskFailures = Optional.of(policy));
  }

  /** In a cluster. */
  public NodeOptions withMembership(MembershipOptions changed) {
    return with(draft -> draft.membership = changed);
  }

  private NodeOptions with(Consumer<OptionsDraft> change) {
    OptionsDraft draft = new OptionsDraft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that can be changed one by one. */
  private static final class OptionsDraft {
    Path dataDirectory;
    Optional<String> listenAddress;
    OptionalInt clientPort;
    OptionalInt peerPort;
    OptionalInt httpPort;
    Optional<Path> storageConf;
    Optional<String> partitioner;
    Optional<String> commitLogSync;
    Optional<String> diskFailures;
    MembershipOptions membership;

    OptionsDraft(NodeOptions from) {
      dataDirectory = from.dataDirectory;
      listenAddress = from.listenAddress;
      clientPort = from.clientPort;
      peerPort = from.peerPort;
      httpPort = from.httpPort;
      storageConf = from.storageConf;
      partitioner = from.partitioner;
      commitLogSync = from.commitLogSync;
      diskFailures = from.diskFailures;
      membership = from.membership;
    }

    NodeOptions options() {
      return new NodeOptions(
          dataDirectory,
          listenAddress,
          clientPort,
          peerPort,
          httpPort,
          storageConf,
          partitioner,
          commitLogSync,
          diskFailures,
          membership);
    }
  }
}
