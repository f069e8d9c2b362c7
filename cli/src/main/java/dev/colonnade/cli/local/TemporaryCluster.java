package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Consistency;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Nodes as processes on free ports of loopback, in a temporary directory, which is removed with
 * them, also when this process is interrupted. Their data is of no further use, so they are killed.
 */
final class TemporaryCluster implements AutoCloseable {

  private static final Duration WHOLE_LIMIT = Duration.ofSeconds(90);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(10);

  /** Small, and quick to start: such nodes live for seconds. */
  private static final NodeProcess.Memory SHORT_LIVED =
      new NodeProcess.Memory("256m", List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));

  private final Path directory;
  private final LocalCluster cluster;
  private final Thread hook = new Thread(this::closeQuietly, "shutdown");
  private boolean closed;

  private TemporaryCluster(Path directory, LocalCluster cluster) {
    this.directory = directory;
    this.cluster = cluster;
  }

  /** Starts a number of nodes and returns when they have found each other. */
  static TemporaryCluster start(int nodes) throws CommandException, InterruptedException {
    return start(nodes, SHORT_LIVED, List.of());
  }

  /**
   * Starts nodes that live longer.
   *
   * @param more arguments for {@code colonnade server}
   */
  static TemporaryCluster start(int nodes, NodeProcess.Memory memory, List<String> more)
      throws CommandException, InterruptedException {
    List<LoopbackAddresses.Place> places;
    try {
      places = LoopbackAddresses.anywhere(nodes);
    } catch (IOException e) {
      throw CommandException.failed("cannot find free ports: " + e.getMessage(), e);
    }
    Path directory = TemporaryFolder.make("colonnade-");
    TemporaryCluster made =
        new TemporaryCluster(
            directory,
            new LocalCluster(new LocalCluster.Plan(directory, places, true, memory, more)));
    Runtime.getRuntime().addShutdownHook(made.hook);
    try {
      made.cluster.start();
      made.cluster.awaitWhole(WHOLE_LIMIT);
      return made;
    } catch (CommandException | RuntimeException | InterruptedException e) {
      made.closeQuietly();
      throw e;
    }
  }

  /** For clients that read and write at QUORUM. */
  static ClientOptions quorum() {
    return ClientOptions.defaults()
        .withCalls(
            CallOptions.defaults()
                .withReadConsistency(Consistency.QUORUM)
                .withWriteConsistency(Consistency.QUORUM));
  }

  Path directory() {
    return directory;
  }

  /** Where clients connect to, in the order of the nodes. */
  List<String> addresses() {
    return cluster.places().stream().map(LoopbackAddresses.Place::client).toList();
  }

  /** The numbers of their processes. */
  List<Long> pids() {
    List<Long> pids = new ArrayList<>();
    for (int i = 0; i < cluster.places().size(); i++) {
      pids.add(cluster.process(i).pid());
    }
    return pids;
  }

  /**
   * Kills the last node without warning.
   *
   * @return what it is called
   */
  String killLast() {
    int last = cluster.places().size() - 1;
    NodeProcess process = cluster.process(last);
    process.kill();
    return process.name() + " (" + cluster.places().get(last).client() + ")";
  }

  /** Ends the nodes and removes their directory. */
  @Override
  public void close() throws IOException {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: either the hook called this, or it will find nothing to do.
      return;
    }
  }

  private synchronized void end() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    cluster.kill(KILL_LIMIT);
    TemporaryFolder.remove(directory);
  }

  /** For cleaning up after another failure, which is the one to report. */
  private void closeQuietly() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("colonnade: " + directory + " could not be removed: " + e);
    }
  }
}
