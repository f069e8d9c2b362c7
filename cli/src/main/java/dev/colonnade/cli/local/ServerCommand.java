package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogQueue;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs one node until SIGTERM or SIGINT. */
@Command(
    name = "server",
    description = {
      "Runs one node until it is told to stop with SIGTERM or Ctrl-C.",
      "",
      "Needs no configuration: without options it serves this machine only and keeps its data in"
          + " ./data. It prints one line when it serves. A port of 0 means any free one; the line"
          + " shows which.",
      ""
    },
    sortOptions = false)
public final class ServerCommand implements Callable<Integer> {

  private static final int HIGHEST_PORT = 65_535;
  private static final int MOST_TOKENS = 1_024;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "data",
      description =
          "Where data and commit log are kept; created when missing (default: ./${DEFAULT-VALUE})."
              + " Only one node at a time can use it.")
  private Path data = Path.of("data");

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS",
      description =
          "The address to listen on (default: 127.0.0.1). There is no authentication: anyone who"
              + " reaches this address can read and write everything.")
  private @Nullable String listen;

  @Option(
      names = "--client-port",
      paramLabel = "N",
      description = "The port for gRPC clients, 0 to 65535 (default: 9160).")
  private @Nullable Integer clientPort;

  @Option(
      names = "--peer-port",
      paramLabel = "N",
      description =
          "The port for other nodes, 0 to 65535 (default: 7000). Nodes of a cluster that run on"
              + " separate machines all use the same one.")
  private @Nullable Integer peerPort;

  @Option(
      names = "--http-port",
      paramLabel = "N",
      description =
          "The port for /healthz, /readyz and /metrics over HTTP, 0 to 65535 (default: 8080).")
  private @Nullable Integer httpPort;

  @Option(
      names = "--storage-conf",
      paramLabel = "FILE",
      description =
          "A storage-conf.xml of Cassandra 0.6, or a part of one: settings, and keyspaces that are"
              + " created unless they exist. Options given here take precedence over the file.")
  private @Nullable Path storageConf;

  @Option(
      names = "--partitioner",
      paramLabel = "NAME",
      description =
          "The partitioner, which orders and places rows: RandomPartitioner,"
              + " OrderPreservingPartitioner, CollatingOrderPreservingPartitioner or"
              + " ByteOrderedPartitioner (default: RandomPartitioner). Fixed when the data"
              + " directory is created.")
  private @Nullable String partitioner;

  @Option(
      names = "--commit-log-sync",
      paramLabel = "MODE",
      description =
          "When a write is safe from a power failure: batch (before it is acknowledged) or periodic"
              + " (within 1000 ms after; default). In both modes it survives a crash of the"
              + " process.")
  private @Nullable String commitLogSync;

  @Option(
      names = "--cluster-name",
      paramLabel = "NAME",
      description =
          "The cluster's name (default: Test Cluster). Nodes with another name are refused. Fixed"
              + " when the data directory is created.")
  private @Nullable String clusterName;

  @Option(
      names = "--seeds",
      paramLabel = "HOST[:PORT]",
      split = ",",
      description =
          "Nodes to contact first, to learn of all others, separated by commas; the port is the"
              + " peer port (default: that of this node). Give every node the same two or three."
              + " Without seeds a node is alone until others name it as their seed.")
  private List<String> seeds = new ArrayList<>();

  @Option(
      names = "--initial-token",
      paramLabel = "TOKEN",
      description =
          "The node's token, its place on the ring; used at its first start (default: chosen by the"
              + " node).")
  private @Nullable String initialToken;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description =
          "How many tokens the node has, 1 to 1024; used at its first start (default: 1). Several"
              + " are chosen at random, or all given by --initial-token, separated by commas; such"
              + " a node cannot move.")
  private @Nullable Integer tokens;

  @Option(
      names = "--bootstrap",
      negatable = true,
      description =
          "Whether a new node fetches its share of the data from the others before it serves. Use"
              + " --no-bootstrap for the first nodes of a new cluster.")
  private @Nullable Boolean bootstrap;

  @Option(
      names = "--stream-limit",
      paramLabel = "MB",
      description =
          "How fast the node sends ranges of its data to others (joins, moves, repairs), in 10^6"
              + " bytes a second; 0 for no limit (default: 25).")
  private @Nullable Integer streamLimit;

  @Option(
      names = "--snitch",
      paramLabel = "NAME",
      description =
          "How the node learns the rack and data centre of nodes: SimpleSnitch (all in one;"
              + " default), RackInferringSnitch (2nd and 3rd number of their addresses),"
              + " PropertyFileSnitch (a file), GossipingPropertyFileSnitch (each node announces its"
              + " own).")
  private @Nullable String snitch;

  @Option(
      names = "--datacenter",
      paramLabel = "NAME",
      description =
          "The data centre of this node, which GossipingPropertyFileSnitch announces to the others"
              + " (default: datacenter1).")
  private @Nullable String datacenter;

  @Option(
      names = "--rack",
      paramLabel = "NAME",
      description = "The rack of this node, announced in the same way (default: rack1).")
  private @Nullable String rack;

  @Option(
      names = "--topology-file",
      paramLabel = "FILE",
      description =
          "For PropertyFileSnitch: lines address=datacenter:rack and default=datacenter:rack"
              + " (default: cassandra-topology.properties beside the configuration file).")
  private @Nullable Path topologyFile;

  @Option(
      names = "--replace",
      paramLabel = "NODE-ID",
      description =
          "Replace this dead node: the new node, with an empty data directory, fetches the dead"
              + " node's rows from the others and takes over its tokens.")
  private @Nullable String replaced;

  @Option(
      names = "--ring-delay",
      paramLabel = "SECONDS",
      description =
          "How many seconds a change of the ring waits for all nodes to learn of it, 1 to 600"
              + " (default: 10). Two are enough for nodes on one machine.")
  private @Nullable Integer ringDelaySeconds;

  @Option(
      names = "--hint-interval",
      paramLabel = "SECONDS",
      description =
          "How many seconds pass between two scans for hints (writes kept for other nodes) that can"
              + " be delivered, 1 to 86400 (default: 900, 15 minutes). A node that comes back"
              + " receives its hints at once in any case; the scan finds those that a missed signal"
              + " left behind, and drops those that are too old.")
  private @Nullable Integer hintIntervalSeconds;

  @Option(
      names = "--disk-failure-policy",
      paramLabel = "POLICY",
      description =
          "What the node does once a disk returns errors: stop (end the process), refuse (no reads"
              + " and writes until a restart) or best_effort (continue with what works, and tell"
              + " clients and peers to prefer other nodes until a minute after the last error; the"
              + " default).")
  private @Nullable String diskFailurePolicy;

  @Option(
      names = "--until-input-ends",
      hidden = true,
      description =
          "Stop also when standard input ends, for a program that starts this node and holds its"
              + " input.")
  private boolean untilInputEnds;

  /** For picocli. */
  public ServerCommand() {}

  @Override
  public Integer call() throws CommandException, InterruptedException {
    LogQueue.use();
    Node node = Nodes.start(options());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node), "shutdown"));
    PrintWriter out = spec.commandLine().getOut();
    out.println("Colonnade is " + node.describe());
    out.flush();
    if (untilInputEnds) {
      Thread watch = new Thread(ServerCommand::exitWithInput, "input");
      watch.setDaemon(true);
      watch.start();
    }
    // Otherwise the shutdown hook ends this process.
    throw awaitEnd(node);
  }

  private static CommandException awaitEnd(Node node) throws InterruptedException {
    try {
      String reason = node.ended().get();
      return CommandException.failed(reason, new IllegalStateException(reason));
    } catch (ExecutionException e) {
      throw new IllegalStateException("the end of a node is no failure", e);
    }
  }

  private static void exitWithInput() {
    try {
      while (System.in.read() >= 0) {
        // Only the end of the input is expected.
      }
    } catch (IOException e) {
      System.err.println("colonnade server: standard input cannot be read: " + e);
    }
    System.exit(CommandLine.ExitCode.OK);
  }

  /** What was given on the command line, over the defaults of a node. */
  NodeOptions options() {
    NodeOptions options =
        NodeOptions.defaults().withDataDirectory(data.toAbsolutePath().normalize());
    if (listen != null) {
      options = options.withListenAddress(listen);
    }
    if (clientPort != null) {
      options = options.withClientPort(port("--client-port", clientPort));
    }
    if (peerPort != null) {
      options = options.withPeerPort(port("--peer-port", peerPort));
    }
    if (httpPort != null) {
      options = options.withHttpPort(port("--http-port", httpPort));
    }
    if (storageConf != null) {
      options = options.withStorageConf(storageConf);
    }
    if (partitioner != null) {
      options = options.withPartitioner(partitioner);
    }
    if (commitLogSync != null) {
      options = options.withCommitLogSync(syncMode(commitLogSync));
    }
    if (diskFailurePolicy != null) {
      options = options.withDiskFailures(diskFailurePolicy(diskFailurePolicy));
    }
    return options.withMembership(
        new NodeOptions.MembershipOptions(
            Optional.ofNullable(clusterName),
            seeds,
            Optional.ofNullable(initialToken),
            tokens == null ? OptionalInt.empty() : OptionalInt.of(tokens(tokens)),
            Optional.ofNullable(bootstrap),
            streamLimit == null ? OptionalInt.empty() : OptionalInt.of(streamLimit(streamLimit)),
            new NodeOptions.StartRole(
                Optional.ofNullable(snitch),
                Optional.ofNullable(datacenter),
                Optional.ofNullable(rack),
                Optional.ofNullable(topologyFile)),
            Optional.ofNullable(replaced),
            Optional.ofNullable(ringDelaySeconds).map(Duration::ofSeconds),
            Optional.ofNullable(hintIntervalSeconds).map(Duration::ofSeconds)));
  }

  private int streamLimit(int wanted) {
    if (wanted < 0) {
      throw new ParameterException(
          spec.commandLine(), "--stream-limit is " + wanted + ", but must not be below 0");
    }
    return wanted;
  }

  private int tokens(int wanted) {
    if (wanted < 1 || wanted > MOST_TOKENS) {
      throw new ParameterException(
          spec.commandLine(), "--tokens is " + wanted + ", but must be 1 to " + MOST_TOKENS);
    }
    return wanted;
  }

  private int port(String option, int port) {
    if (port < 0 || port > HIGHEST_PORT) {
      throw new ParameterException(
          spec.commandLine(), option + " is " + port + ", but a port is 0 to " + HIGHEST_PORT);
    }
    return port;
  }

  private String diskFailurePolicy(String policy) {
    if (!List.of("stop", "refuse", "best_effort").contains(policy)) {
      throw new ParameterException(
          spec.commandLine(),
          "--disk-failure-policy is " + policy + ", but must be stop, refuse or best_effort");
    }
    return policy;
  }

  private String syncMode(String mode) {
    if (!mode.equals("periodic") && !mode.equals("batch")) {
      throw new ParameterException(
          spec.commandLine(), "--commit-log-sync is " + mode + ", but must be periodic or batch");
    }
    return mode;
  }

  /**
   * In the shutdown hook. Java would report the signal as the status (143, 130); a node that
   * stopped on request has not failed, so the hook ends the process itself.
   */
  private static void stop(Node node) {
    int status = CommandLine.ExitCode.SOFTWARE;
    try {
      node.close();
      status = node.ended().isDone() ? status : CommandLine.ExitCode.OK;
    } finally {
      LogQueue.drain();
      Runtime.getRuntime().halt(status);
    }
  }
}
