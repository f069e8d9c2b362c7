package dev.colonnade.server.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a person said when starting a node. What was not said comes from the configuration file, and
 * what that does not say either from {@link dev.colonnade.server.config.NodeSettings#DEFAULT}.
 *
 * @param dataDirectory data, commit log and plug-ins are below it unless the file puts them
 *     elsewhere
 * @param listenAddress for clients, peers and HTTP
 * @param clientPort 0 for any free one
 * @param peerPort 0 for any free one
 * @param httpPort 0 for any free one
 * @param storageConf a storage-conf.xml
 * @param partitioner fixed at the first start, checked after
 * @param commitLogSync {@code periodic} or {@code batch}
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
    Membership membership) {

  /**
   * How the node finds its cluster.
   *
   * @param clusterName nodes of another name are refused
   * @param seeds nodes to ask first, each {@code host} or {@code host:port}; empty for none said
   * @param initialToken where to stand in the ring, at the first start
   * @param tokens how many places to take there, at the first start
   * @param autoBootstrap whether a new node takes its share of the data before it serves
   * @param streamMegabytesPerSecond the pace of ranges sent to others; 0 for no limit
   * @param standing where nodes stand
   * @param replacedNode the id of a dead node whose place a new node takes
   * @param ringDelay how long changes of the ring wait for gossip
   */
  public record Membership(
      Optional<String> clusterName,
      List<String> seeds,
      Optional<String> initialToken,
      OptionalInt tokens,
      Optional<Boolean> autoBootstrap,
      OptionalInt streamMegabytesPerSecond,
      Standing standing,
      Optional<String> replacedNode,
      Optional<Duration> ringDelay) {

    /** Nothing said: alone, unless the file says otherwise. */
    public static final Membership UNSAID =
        new Membership(
            Optional.empty(),
            List.of(),
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            Standing.UNSAID,
            Optional.empty(),
            Optional.empty());

    /** Copies the list. */
    public Membership {
      seeds = List.copyOf(seeds);
    }
  }

  /**
   * In which racks and data centres nodes stand.
   *
   * @param snitch its name; where none is said here or in the file, a data centre or rack that is
   *     said means the gossiping one
   * @param datacenter of this node, told to the others
   * @param rack of this node, told to the others
   * @param file that says it of all nodes
   */
  public record Standing(
      Optional<String> snitch,
      Optional<String> datacenter,
      Optional<String> rack,
      Optional<Path> file) {

    /** Nothing said: as the configuration file says. */
    public static final Standing UNSAID =
        new Standing(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Nothing said: one node on loopback, data under {@code ./data}. */
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
        Membership.UNSAID);
  }

  /** With another data directory. */
  public NodeOptions withDataDirectory(Path directory) {
    return new NodeOptions(
        directory,
        listenAddress,
        clientPort,
        peerPort,
        httpPort,
        storageConf,
        partitioner,
        commitLogSync,
        membership);
  }

  /** Listening on another address. */
  public NodeOptions withListenAddress(String address) {
    return new NodeOptions(
        dataDirectory,
        Optional.of(address),
        clientPort,
        peerPort,
        httpPort,
        storageConf,
        partitioner,
        commitLogSync,
        membership);
  }

  /** With another port for clients. */
  public NodeOptions withClientPort(int port) {
    return new NodeOptions(
        dataDirectory,
        listenAddress,
        OptionalInt.of(port),
        peerPort,
        httpPort,
        storageConf,
        partitioner,
        commitLogSync,
        membership);
  }

  /** With another port for peers. */
  public NodeOptions withPeerPort(int port) {
    return new NodeOptions(
        dataDirectory,
        listenAddress,
        clientPort,
        OptionalInt.of(port),
        httpPort,
        storageConf,
        partitioner,
        commitLogSync,
        membership);
  }

  /** With another port for metrics and health. */
  public NodeOptions withHttpPort(int port) {
    return new NodeOptions(
        dataDirectory,
        listenAddress,
        clientPort,
        peerPort,
        OptionalInt.of(port),
        storageConf,
        partitioner,
        commitLogSync,
        membership);
  }

  /** With a configuration file. */
  public NodeOptions withStorageConf(Path file) {
    return new NodeOptions(
        dataDirectory,
        listenAddress,
        clientPort,
        peerPort,
        httpPort,
        Optional.of(file),
        partitioner,
        commitLogSync,
        membership);
  }

  /** With a partitioner. */
  public NodeOptions withPartitioner(String name) {
    return new NodeOptions(
        dataDirectory,
        listenAddress,
        clientPort,
        peerPort,
        httpPort,
        storageConf,
        Optional.of(name),
        commitLogSync,
        membership);
  }

  /** With a way to sync the commit log. */
  public NodeOptions withCommitLogSync(String mode) {
    return new NodeOptions(
        dataDirectory,
        listenAddress,
        clientPort,
        peerPort,
        httpPort,
        storageConf,
        partitioner,
        Optional.of(mode),
        membership);
  }

  /** In a cluster. */
  public NodeOptions withMembership(Membership changed) {
    return new NodeOptions(
        dataDirectory,
        listenAddress,
        clientPort,
        peerPort,
        httpPort,
        storageConf,
        partitioner,
        commitLogSync,
        changed);
  }
}
