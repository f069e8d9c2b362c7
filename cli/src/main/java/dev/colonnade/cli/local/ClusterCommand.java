package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.shell.run.Launcher;
import dev.colonnade.client.Ring;
import dev.colonnade.client.RingNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs a cluster on this machine until SIGTERM or SIGINT. */
@Command(
    name = "cluster",
    description = {
      "Runs a cluster of several nodes on this machine, for trying things out.",
      "",
      "Each node is a separate process: on 127.0.0.1, 127.0.0.2 and so on with the same ports, or"
          + " all on 127.0.0.1 with ports 10 apart where the machine has no other such addresses."
          + " It prints the ring when all nodes see each other, and stops them on Ctrl-C. Started"
          + " again with the same directory and the same number of nodes, it continues with its"
          + " data.",
      ""
    },
    sortOptions = false)
public final class ClusterCommand implements Callable<Integer> {

  private static final int NODES_MAX = 50;
  private static final Duration WHOLE_LIMIT = Duration.ofSeconds(90);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = {"-n", "--nodes"},
      paramLabel = "N",
      defaultValue = "3",
      description = "How many nodes, 1 to " + NODES_MAX + " (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "cluster",
      description =
          "Where the nodes keep their data and their logs: DIR/node1, DIR/node2 and so on (default:"
              + " ./${DEFAULT-VALUE}).")
  private Path data = Path.of("cluster");

  @Option(
      names = "--any-ports",
      description = "Let all nodes listen on 127.0.0.1, on free ports. A later start uses others.")
  private boolean anyPorts;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "256m",
      description = "The heap of each node, as for -Xmx (default: ${DEFAULT-VALUE}).")
  private String heap = "256m";

  @Option(
      names = "--storage-conf",
      paramLabel = "FILE",
      description = "A storage-conf.xml for all nodes.")
  private @Nullable Path storageConf;

  @Option(
      names = "--commit-log-sync",
      paramLabel = "MODE",
      description = "batch or periodic, as for colonnade server.")
  private @Nullable String commitLogSync;

  /** For picocli. */
  public ClusterCommand() {}

  @Override
  public Integer call() throws CommandException, InterruptedException {
    if (nodes < 1 || nodes > NODES_MAX) {
      throw new ParameterException(
          spec.commandLine(), "-n is " + nodes + ", but must be 1 to " + NODES_MAX);
    }
    PrintWriter out = spec.commandLine().getOut();
    Path directory = data.toAbsolutePath().normalize();
    out.println("Starting " + nodes + " nodes with their data in " + directory + " ...");
    out.flush();
    LocalCluster cluster =
        new LocalCluster(
            new LocalCluster.Plan(
                directory,
                places(),
                storageConf == null,
                new NodeProcess.Memory(heap, List.of()),
                arguments()));
    Thread hook = new Thread(() -> stop(cluster, out), "shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      cluster.start();
      Ring ring = cluster.awaitWhole(WHOLE_LIMIT);
      print(ring, cluster, out);
      watch(cluster, out);
      return CommandLine.ExitCode.SOFTWARE;
    } finally {
      cluster.close();
    }
  }

  private List<LoopbackAddresses.Place> places() throws CommandException {
    try {
      return anyPorts ? LoopbackAddresses.anywhere(nodes) : LoopbackAddresses.of(nodes);
    } catch (IOException e) {
      throw CommandException.failed("cannot find free ports: " + e.getMessage(), e);
    }
  }

  private List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    if (storageConf != null) {
      arguments.add("--storage-conf");
      arguments.add(storageConf.toAbsolutePath().toString());
    }
    if (commitLogSync != null) {
      arguments.add("--commit-log-sync");
      arguments.add(commitLogSync);
    }
    return arguments;
  }

  private static void print(Ring ring, LocalCluster cluster, PrintWriter out) {
    out.println("The cluster is complete:");
    for (RingNode node : inOrderOfPlaces(ring.nodes(), cluster.places())) {
      out.printf(
          Locale.ROOT,
          "  %-15s %-6s %-8s owns %5.1f%%  token %s%n",
          node.endpoint().address() + ":" + node.endpoint().clientPort(),
          node.liveness(),
          node.state(),
          node.owns() * 100,
          String.join(", ", node.tokens()));
    }
    LoopbackAddresses.Place first = cluster.places().get(0);
    out.println(
        "Connect with: "
            + Launcher.command(
                "shell --host " + first.address() + " --port " + first.clientPort()));
    out.println("Ctrl-C stops all nodes.");
    out.flush();
  }

  /** In the order of the nodes' directories, and so of the tokens that they were given. */
  private static List<RingNode> inOrderOfPlaces(
      List<RingNode> nodes, List<LoopbackAddresses.Place> places) {
    List<String> addresses =
        places.stream().map(place -> place.address() + ":" + place.clientPort()).toList();
    return nodes.stream()
        .sorted(
            Comparator.comparingInt(
                node ->
                    addresses.indexOf(
                        node.endpoint().address() + ":" + node.endpoint().clientPort())))
        .toList();
  }

  /** Reports each node that ends, and returns when none is left. */
  private static void watch(LocalCluster cluster, PrintWriter out) throws InterruptedException {
    List<Boolean> told = new ArrayList<>();
    for (int i = 0; i < cluster.places().size(); i++) {
      told.add(false);
    }
    while (told.contains(false)) {
      for (int i = 0; i < told.size(); i++) {
        NodeProcess process = cluster.process(i);
        if (!told.get(i) && !process.isAlive()) {
          told.set(i, true);
          out.println(
              process.name()
                  + " has ended with status "
                  + process.exitStatus()
                  + "; its log is "
                  + process.log());
          out.flush();
        }
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN.toMillis());
    }
    out.println("no node is left");
    out.flush();
  }

  /** In the shutdown hook: nodes that stopped on request are not a failure. */
  private static void stop(LocalCluster cluster, PrintWriter out) {
    out.println("Stopping all nodes ...");
    out.flush();
    cluster.close();
    out.println("All nodes have stopped.");
    out.flush();
    Runtime.getRuntime().halt(CommandLine.ExitCode.OK);
  }
}
