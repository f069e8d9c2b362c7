package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Ring;
import dev.colonnade.client.RingNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A cluster of processes on this machine, in one directory: {@code node1}, {@code node2} and so on.
 * For one thread; {@link #close} may come from another.
 */
final class LocalCluster implements AutoCloseable {

  private static final Duration STOP_LIMIT = Duration.ofSeconds(40);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(2);
  private static final BigInteger HASH_TOKENS = BigInteger.ONE.shiftLeft(127);

  /**
   * What all nodes have in common.
   *
   * @param directory theirs are below it
   * @param places where each node listens
   * @param evenTokens for RandomPartitioner: each node owns as much; otherwise nodes choose
   * @param memory of each
   * @param more arguments for {@code colonnade server}
   */
  record Plan(
      Path directory,
      List<LoopbackAddresses.Place> places,
      boolean evenTokens,
      NodeProcess.Memory memory,
      List<String> more) {

    int nodes() {
      return places.size();
    }
  }

  private final Plan plan;
  private final List<LoopbackAddresses.Place> places;
  private final List<NodeProcess> processes = new ArrayList<>();
  private boolean closed;

  /** Nothing runs before {@link #start}. */
  LocalCluster(Plan plan) {
    this.plan = plan;
    this.places = plan.places();
  }

  /** Starts all nodes; they have not found each other yet when this returns. */
  void start() throws CommandException {
    try {
      for (int i = 0; i < plan.nodes(); i++) {
        startNode(i);
      }
    } catch (IOException e) {
      close();
      throw CommandException.failed("cannot start a node: " + e.getMessage(), e);
    }
  }

  private synchronized void startNode(int index) throws IOException {
    if (closed) {
      return;
    }
    LoopbackAddresses.Place place = places.get(index);
    String name = "node" + (index + 1);
    Path directory = plan.directory().resolve(name);
    Files.createDirectories(directory);
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--data", directory.toString(), "--listen", place.address()));
    arguments.addAll(List.of("--client-port", Integer.toString(place.clientPort())));
    arguments.addAll(List.of("--peer-port", Integer.toString(place.peerPort())));
    arguments.addAll(List.of("--http-port", Integer.toString(place.httpPort())));
    arguments.addAll(List.of("--seeds", places.get(0).peer(), "--no-bootstrap"));
    if (plan.evenTokens()) {
      arguments.addAll(List.of("--initial-token", evenToken(index)));
    }
    arguments.addAll(plan.more());
    NodeProcess process =
        NodeProcess.start(name, arguments, plan.memory(), directory.resolve("server.log"));
    if (index < processes.size()) {
      processes.set(index, process);
    } else {
      processes.add(process);
    }
  }

  /** Used at a node's first start only. */
  private String evenToken(int index) {
    return HASH_TOKENS
        .multiply(BigInteger.valueOf(index))
        .divide(BigInteger.valueOf(plan.nodes()))
        .add(BigInteger.ONE)
        .toString();
  }

  /** Starts a node again that has ended. */
  void restart(int index) throws CommandException {
    try {
      startNode(index);
    } catch (IOException e) {
      throw CommandException.failed("cannot start a node: " + e.getMessage(), e);
    }
  }

  List<LoopbackAddresses.Place> places() {
    return places;
  }

  NodeProcess process(int index) {
    return processes.get(index);
  }

  /** A node that has ended by itself. */
  Optional<NodeProcess> ended() {
    return processes.stream().filter(process -> !process.isAlive()).findFirst();
  }

  /**
   * Waits until every node sees every other one up and in the ring.
   *
   * @return the ring
   */
  Ring awaitWhole(Duration limit) throws CommandException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    String missing = "";
    for (LoopbackAddresses.Place place : places) {
      while (true) {
        Optional<NodeProcess> ended = ended();
        if (ended.isPresent()) {
          throw failed(
              ended.get().name() + " ended by itself; its last output: " + ended.get().lastWords());
        }
        try (Colonnade client = connect(place)) {
          Ring ring = client.cluster().ring("");
          long up = ring.nodes().stream().filter(LocalCluster::isWhole).count();
          if (up == plan.nodes()) {
            missing = "";
            break;
          }
          missing = place.client() + " sees " + up + " of " + plan.nodes() + " nodes up";
        } catch (ColonnadeException notYet) {
          missing = place.client() + " does not answer: " + notYet.getMessage();
        }
        if (System.nanoTime() - deadline > 0) {
          throw failed(
              "the cluster is not complete after "
                  + limit.toSeconds()
                  + " s: "
                  + missing
                  + ". Logs: "
                  + plan.directory().resolve("node*").resolve("server.log"));
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN.toMillis());
      }
    }
    try (Colonnade client = connect(places.get(0))) {
      return client.cluster().ring("");
    } catch (ColonnadeException e) {
      throw CommandException.failed(String.valueOf(e.getMessage()), e);
    }
  }

  private static CommandException failed(String message) {
    return CommandException.failed(message, new IllegalStateException(message));
  }

  private static boolean isWhole(RingNode node) {
    return node.state() == RingNode.State.NORMAL && node.liveness() == RingNode.Liveness.UP;
  }

  private static Colonnade connect(LoopbackAddresses.Place place) {
    return Colonnade.connect(
        place.client(),
        ClientOptions.defaults().withCalls(CallOptions.defaults().withDeadline(CALL_LIMIT)));
  }

  /** Ends all nodes without warning, for when their data is of no further use. */
  synchronized void kill(Duration limit) {
    closed = true;
    processes.forEach(NodeProcess::kill);
    await(limit);
  }

  /** Stops all nodes in order; those that do not stop in time are killed. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    processes.forEach(NodeProcess::stop);
    await(STOP_LIMIT);
  }

  private void await(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    for (NodeProcess process : processes) {
      try {
        Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        if (!process.ended(left)) {
          process.kill();
        }
      } catch (InterruptedException e) {
        process.kill();
        Thread.currentThread().interrupt();
      }
    }
  }
}
