package dev.colonnade.it.cluster;

import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.Liveness;
import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.admin.v1.RingNode;
import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Several nodes as processes on loopback, with tokens that share the ring evenly. A node that is
 * stopped or killed keeps its place here, and can be started again.
 */
final class TestCluster implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final BigInteger TOKENS = BigInteger.ONE.shiftLeft(127);

  private final Path folder;
  private final List<Integer> peerPorts = new ArrayList<>();
  private final List<LocalNode> nodes = new ArrayList<>();
  private final List<Boolean> running = new ArrayList<>();

  private TestCluster(Path folder) {
    this.folder = folder;
  }

  /** Starts so many nodes and returns when each sees all others. */
  static TestCluster start(Path folder, int size) throws IOException {
    TestCluster cluster = new TestCluster(folder);
    try {
      for (int i = 0; i < size; i++) {
        cluster.peerPorts.add(freePort());
      }
      for (int i = 0; i < size; i++) {
        String token =
            TOKENS.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(size)).toString();
        cluster.add(
            LocalNode.process(cluster.settings(i, "--no-bootstrap", "--initial-token", token)));
      }
      cluster.awaitUp(size);
      return cluster;
    } catch (IOException | RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  private void add(LocalNode node) {
    nodes.add(node);
    running.add(true);
  }

  private LocalNode.Settings settings(int index, String... more) {
    List<String> seeds = new ArrayList<>();
    for (int seed = 0; seed < Math.min(2, peerPorts.size()); seed++) {
      seeds.add("127.0.0.1:" + peerPorts.get(seed));
    }
    return LocalNode.Settings.in(folder.resolve("node" + index))
        .withJvmArguments("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        .withPeers(new LocalNode.Peers(peerPorts.get(index), seeds, List.of(more)));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return socket.getLocalPort();
    }
  }

  LocalNode node(int index) {
    return nodes.get(index);
  }

  int size() {
    return nodes.size();
  }

  /** SIGKILL. */
  void kill(int index) {
    running.set(index, false);
    nodes.get(index).kill();
  }

  /** SIGTERM. */
  void stop(int index) {
    running.set(index, false);
    nodes.get(index).stop();
  }

  /** Starts a node again on its data and its peer port. */
  void restart(int index) throws IOException {
    nodes.set(index, nodes.get(index).again());
    running.set(index, true);
  }

  /** What a node sees of the ring. */
  List<RingNode> ringOf(int index) {
    return ClusterServiceGrpc.newBlockingStub(nodes.get(index).channel())
        .describeRing(DescribeRingRequest.getDefaultInstance())
        .getNodesList();
  }

  /**
   * Returns when each running node holds exactly so many to be up, suspects and itself included.
   */
  void awaitUp(int count) {
    Await.until(
        () -> {
          for (int i = 0; i < nodes.size(); i++) {
            if (running.get(i) && countUp(i) != count) {
              return false;
            }
          }
          return true;
        },
        LIMIT,
        () -> "not all nodes see " + count + " up: " + describe());
  }

  private long countUp(int index) {
    try {
      return ringOf(index).stream()
          .filter(node -> node.getState() == NodeState.NODE_STATE_NORMAL)
          .filter(node -> node.getLiveness() != Liveness.LIVENESS_DOWN)
          .count();
    } catch (StatusRuntimeException notYet) {
      return -1;
    }
  }

  private String describe() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < nodes.size(); i++) {
      text.append("node ").append(i).append(" sees ").append(running.get(i) ? countUp(i) : -1);
      text.append("; ");
    }
    return text.toString();
  }

  /** Makes a keyspace through the first node. */
  void create(KeyspaceDef keyspace) {
    nodes
        .get(0)
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
