package dev.colonnade.it.cluster;

import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.it.Await;
import dev.colonnade.it.HostCommand;
import dev.colonnade.it.LocalNode;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Several nodes as processes, on loopback unless told otherwise, with tokens that share the ring
 * evenly. A node that is stopped or killed keeps its place here, and can be started again. For one
 * thread.
 */
public final class TestCluster implements AutoCloseable {

  /** Long enough for a busy machine. */
  static final Duration LIMIT = Duration.ofSeconds(90);

  /** The nodes hear of each other within a second or two; ten are for larger clusters. */
  private static final String RING_DELAY_SECONDS = "2";

  /** Slow enough that a transfer between nodes can be interrupted. */
  private static final String STREAM_MEGABYTES = "2";

  /** On separate hosts all nodes have the same port. */
  private static final int PEER_PORT = 7000;

  private static final BigInteger TOKENS = BigInteger.ONE.shiftLeft(127);

  private final Path folder;
  private final int withoutHints;
  private final IntFunction<List<String>> more;
  private final @Nullable Path firstJar;
  private final List<Place> places = new ArrayList<>();
  private final List<NodeView> nodes = new ArrayList<>();
  private final List<Boolean> running = new ArrayList<>();

  /** Where a node listens for others. */
  private record Place(LocalNode.Host host, int port) {}

  private TestCluster(
      Path folder, int withoutHints, IntFunction<List<String>> more, @Nullable Path firstJar) {
    this.folder = folder;
    this.withoutHints = withoutHints;
    this.more = more;
    this.firstJar = firstJar;
  }

  /**
   * Starts a number of nodes and returns when each sees all others.
   *
   * @param withoutHints which node keeps no writes for others
   */
  static TestCluster start(Path folder, int size, int withoutHints) throws IOException {
    return start(new TestCluster(folder, withoutHints, node -> List.of(), null), size);
  }

  /** Starts a number of nodes of another build, each of which {@link #upgrade} replaces. */
  static TestCluster startOf(Path jar, Path folder, int size) throws IOException {
    return start(new TestCluster(folder, -1, node -> List.of(), jar), size);
  }

  private static TestCluster start(TestCluster cluster, int size) throws IOException {
    for (int i = 0; i < size; i++) {
      cluster.newPlace();
    }
    return cluster.start();
  }

  /**
   * Starts a node on each of these hosts and returns when each sees all others.
   *
   * @param more options of every node
   */
  public static TestCluster start(Path folder, List<LocalNode.Host> hosts, String... more)
      throws IOException {
    return start(folder, hosts, node -> List.of(more));
  }

  /**
   * Starts a node on each of these hosts and returns when each sees all others.
   *
   * @param more options of each node
   */
  public static TestCluster start(
      Path folder, List<LocalNode.Host> hosts, IntFunction<List<String>> more) throws IOException {
    TestCluster cluster = new TestCluster(folder, -1, more, null);
    hosts.forEach(host -> cluster.places.add(new Place(host, PEER_PORT)));
    return cluster.start();
  }

  private TestCluster start() throws IOException {
    int size = places.size();
    List<Callable<LocalNode>> starts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      LocalNode.Settings settings = atItsToken(i).withJar(firstJar);
      starts.add(() -> LocalNode.process(settings));
    }
    try {
      inParallel(starts).forEach(this::add);
      awaitUp(size);
      return this;
    } catch (IOException | RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private LocalNode.Settings atItsToken(int index) throws IOException {
    BigInteger token =
        TOKENS.multiply(BigInteger.valueOf(index)).divide(BigInteger.valueOf(places.size()));
    return settings(index, "--no-bootstrap", "--initial-token", token.toString());
  }

  private static <T> List<T> inParallel(List<Callable<T>> tasks) throws IOException {
    List<FutureTask<T>> running = new ArrayList<>();
    for (Callable<T> task : tasks) {
      FutureTask<T> future = new FutureTask<>(task);
      running.add(future);
      new Thread(future, "cluster-start").start();
    }
    List<T> results = new ArrayList<>();
    for (FutureTask<T> task : running) {
      try {
        results.add(task.get());
      } catch (ExecutionException e) {
        throw new IOException("a node did not start: " + e.getMessage(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while nodes start", e);
      }
    }
    return results;
  }

  private void add(LocalNode node) {
    nodes.add(new NodeView(node));
    running.add(true);
  }

  /** How a node of this cluster is started, with more said about its place. */
  LocalNode.Settings settings(int index, String... itsOwn) throws IOException {
    List<String> seeds = new ArrayList<>();
    for (int seed = 0; seed < Math.min(2, places.size()); seed++) {
      seeds.add(places.get(seed).host().address() + ":" + places.get(seed).port());
    }
    List<String> words = new ArrayList<>(List.of(itsOwn));
    words.addAll(more.apply(index));
    words.addAll(List.of("--ring-delay", RING_DELAY_SECONDS, "--stream-limit", STREAM_MEGABYTES));
    LocalNode.Settings settings =
        LocalNode.Settings.in(data(index))
            .withJvmArguments("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
            .withHost(places.get(index).host())
            .withPeers(new LocalNode.Peers(places.get(index).port(), seeds, words));
    if (index != withoutHints) {
      return settings;
    }
    Path file = folder.resolve("without-hints.xml");
    Files.writeString(
        file, "<Storage><HintedHandoffEnabled>false</HintedHandoffEnabled></Storage>\n");
    return settings.withStorageConf(file);
  }

  /** Where a node keeps its data. */
  Path data(int index) {
    return folder.resolve("node" + index);
  }

  /** A place for a further node. */
  int newPlace() throws IOException {
    places.add(new Place(LocalNode.Host.LOOPBACK, freePort()));
    return places.size() - 1;
  }

  /** Adds a node that was started in the last place. */
  void joined(LocalNode node) {
    add(node);
  }

  /** Forgets the last node, which has left, and ends its process. */
  void dismissLast() {
    int last = nodes.size() - 1;
    stop(last);
    nodes.remove(last);
    running.remove(last);
    places.remove(last);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return socket.getLocalPort();
    }
  }

  /** One of the nodes. */
  public LocalNode node(int index) {
    return nodes.get(index).node();
  }

  /** What a node reports about itself and others. */
  public NodeView view(int index) {
    return nodes.get(index);
  }

  int size() {
    return nodes.size();
  }

  boolean isRunning(int index) {
    return running.get(index);
  }

  /** SIGKILL. */
  public void kill(int index) {
    running.set(index, false);
    node(index).kill();
  }

  /** Sends a signal by its name, such as STOP; the node counts as one that runs. */
  public void signal(int index, String name) throws IOException {
    HostCommand.output("kill", "-" + name, Long.toString(node(index).pid()));
  }

  /** SIGTERM. */
  public void stop(int index) {
    running.set(index, false);
    node(index).stop();
  }

  /** Starts a node again on its data and its peer port. */
  public void restart(int index) throws IOException {
    nodes.set(index, new NodeView(node(index).again()));
    running.set(index, true);
  }

  /** Starts this build on the data of a node that was stopped, and its peer port. */
  void upgrade(int index) throws IOException {
    replace(index, LocalNode.process(atItsToken(index)));
  }

  /** Puts another node in the place of one that does not run. */
  void replace(int index, LocalNode node) {
    nodes.set(index, new NodeView(node));
    running.set(index, true);
  }

  /** Starts the nodes that do not run, and returns when all nodes see all others. */
  void makeWhole() throws IOException {
    List<Callable<Integer>> starts = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      int index = i;
      if (!running.get(i)) {
        starts.add(
            () -> {
              restart(index);
              return index;
            });
      }
    }
    inParallel(starts);
    awaitUp(nodes.size());
  }

  /** Stops the last nodes until a number of them are down, and returns when the others know. */
  void bringDown(int count) {
    for (int i = nodes.size() - count; i < nodes.size(); i++) {
      if (running.get(i)) {
        stop(i);
      }
    }
    awaitUp(nodes.size() - count);
  }

  /**
   * Returns when each running node considers exactly this many up, suspects and itself included.
   */
  public void awaitUp(int count) {
    Await.until(
        () -> {
          for (int i = 0; i < nodes.size(); i++) {
            if (running.get(i) && nodes.get(i).countUp() != count) {
              return false;
            }
          }
          return true;
        },
        LIMIT,
        () -> "not all nodes see " + count + " up: " + describe());
  }

  private String describe() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < nodes.size(); i++) {
      text.append("node ").append(i).append(" sees ");
      text.append(running.get(i) ? nodes.get(i).countUp() : -1).append("; ");
    }
    return text.toString();
  }

  /** Makes a keyspace through the first node. */
  public void create(KeyspaceDef keyspace) {
    node(0)
        .schema()
        .createKeyspace(CreateKeyspaceRequest.newBuilder().setKeyspace(keyspace).build());
  }

  @Override
  public void close() {
    for (int i = 0; i < nodes.size(); i++) {
      if (running.get(i)) {
        kill(i);
      }
    }
  }
}
