package dev.colonnade.testkit;

import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.RingNode;
import dev.colonnade.client.UnavailableException;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeSeams;
import dev.colonnade.server.node.NodeStartException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Nodes in this process. They are real ones, with files and sockets, and between them and the
 * machine are faults that a test can switch on: of the {@link #network} between the nodes, and of
 * the {@link #disk} of each. A {@link #schedule} makes faults by a seed. Thread-safe.
 */
public final class TestNodes implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofMillis(20);

  /** Tokens of the RandomPartitioner. */
  private static final BigInteger TOKENS = BigInteger.ONE.shiftLeft(127);

  private final Path folder;
  private final String partitioner;
  private final List<Place> places;
  private final TestNetwork network;
  private @Nullable Colonnade client;

  /** Where a node is, while it runs and while it does not. */
  private static final class Place {
    final int peerPort;

    /** Of all starts of this node. */
    final TestDisk disk = new TestDisk();

    /** Free at first; the same after a restart. */
    int clientPort;

    @Nullable Node node;

    /** Of its last start: those of the data and of the commit log. */
    List<FaultyFiles> files = List.of();

    Place(int peerPort) {
      this.peerPort = peerPort;
    }
  }

  private TestNodes(Path folder, String partitioner, List<Place> places) {
    this.folder = folder;
    this.partitioner = partitioner;
    this.places = places;
    this.network =
        new TestNetwork(
            places.stream().map(place -> new PeerAddress("127.0.0.1", place.peerPort)).toList());
  }

  /**
   * Starts nodes, and returns when they serve and see each other.
   *
   * @param count how many, at least one
   * @param partitioner by its name
   * @throws IllegalArgumentException for no node, or for several under another partitioner than
   *     RandomPartitioner, whose tokens cannot be told apart evenly
   * @throws IllegalStateException if one does not start
   */
  public static TestNodes start(int count, String partitioner) {
    if (count < 1) {
      throw new IllegalArgumentException("a test has one node or more; got " + count);
    }
    if (count > 1 && !partitioner.equals("RandomPartitioner")) {
      throw new IllegalArgumentException(
          "several nodes share the tokens of RandomPartitioner evenly, and those of "
              + partitioner
              + " in no way that is known");
    }
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      places.add(new Place(freePort()));
    }
    TestNodes nodes;
    try {
      nodes = new TestNodes(Files.createTempDirectory("colonnade-test-"), partitioner, places);
    } catch (IOException e) {
      throw new UncheckedIOException("no directory can be made for the nodes of the test", e);
    }
    try {
      for (int i = 0; i < count; i++) {
        nodes.restart(i);
      }
      nodes.awaitUp(count);
      return nodes;
    } catch (RuntimeException | Error e) {
      nodes.close();
      throw e;
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("no port is free for a node of the test", e);
    }
  }

  /** How many nodes there are, running or not. */
  public int size() {
    return places.size();
  }

  /** {@code host:port} of each node, for clients: the test's own, or those of the program. */
  public synchronized List<String> contactPoints() {
    return places.stream().map(place -> "127.0.0.1:" + place.clientPort).toList();
  }

  /** A client of all nodes, the same each time; it is closed with them. */
  public synchronized Colonnade client() {
    Colonnade made = client;
    if (made == null) {
      made = Colonnade.connect(contactPoints(), ClientOptions.defaults());
      client = made;
    }
    return made;
  }

  /** The network between the nodes, which a test can partition, slow down, or let lose messages. */
  public TestNetwork network() {
    return network;
  }

  /** The disk of a node, which a test can fill, slow down, break or hold. */
  public TestDisk disk(int index) {
    return places.get(index).disk;
  }

  /** Faults one after the other, chosen by a seed, of which at most one node has one at a time. */
  public FaultSchedule schedule(long seed) {
    return new FaultSchedule(this, seed);
  }

  /**
   * Kills a node: from now on nothing that it does reaches a file or another node, and its clients
   * lose their connections. What it has written stays, as the operating system keeps what a killed
   * process has written; it reads its commit log when it starts again ({@link #restart}). Nothing
   * if it does not run.
   */
  public synchronized void kill(int index) {
    Place place = places.get(index);
    Node node = place.node;
    place.node = null;
    if (node == null) {
      return;
    }
    place.files.forEach(FaultyFiles::kill);
    network.remove(index);
    // A thread that waits for a disk that stands still would be waited for.
    place.disk.release();
    node.kill();
    place.files.forEach(FaultyFiles::closeAll);
  }

  /**
   * Lets a node stand still, towards other nodes and its disk, as one whose process was stopped:
   * others take it for down after a while, and what it is called for waits.
   */
  public void pause(int index) {
    disk(index).hold();
    network.remove(index);
  }

  /** Lets a node that stood still go on. */
  public void resume(int index) {
    disk(index).heal();
    network.restore(index);
  }

  /** No node has a fault of disk or network any more; those that were stopped are still stopped. */
  public void heal() {
    network.heal();
    for (int i = 0; i < size(); i++) {
      resume(i);
    }
  }

  /**
   * Stops a node in order; what it has written stays. A node that stands still goes on first.
   * Nothing if it does not run.
   */
  public synchronized void stop(int index) {
    Place place = places.get(index);
    place.disk.release();
    Node node = place.node;
    place.node = null;
    if (node != null) {
      node.close();
    }
  }

  /**
   * Starts a node that was stopped or killed, on its data and its ports and with a sound disk, and
   * returns when the client of these nodes is answered. Nothing if it runs.
   *
   * @throws IllegalStateException if it does not start
   */
  public synchronized void restart(int index) {
    Place place = places.get(index);
    if (place.node != null) {
      return;
    }
    resume(index);
    List<FaultyFiles> opened = new ArrayList<>();
    NodeSeams seams =
        new NodeSeams(
            files -> {
              FaultyFiles faulty = new FaultyFiles(files, place.disk);
              opened.add(faulty);
              return faulty;
            },
            real -> network.around(index, real));
    place.files = opened;
    try {
      Node node = Node.start(options(index), seams);
      place.node = node;
      place.clientPort = node.clientPort();
    } catch (NodeStartException e) {
      throw new IllegalStateException("node " + index + " of the test does not start", e);
    }
    if (client != null) {
      awaitAnswer(client);
    }
  }

  /** A client whose only node was away tries again after a pause, and fails calls until then. */
  private static void awaitAnswer(Colonnade client) {
    long untilNanos = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        client.cluster().describe();
        return;
      } catch (UnavailableException e) {
        if (System.nanoTime() - untilNanos > 0) {
          throw new IllegalStateException("the node started and answers nothing", e);
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  private NodeOptions options(int index) {
    Place place = places.get(index);
    NodeOptions options =
        NodeOptions.defaults()
            .withDataDirectory(folder.resolve("node" + index))
            .with(ClusterSettings.PARTITIONER, partitioner)
            .with(AddressSettings.CLIENT_PORT, place.clientPort)
            .with(AddressSettings.PEER_PORT, place.peerPort)
            .with(AddressSettings.HTTP_PORT, 0);
    if (places.size() == 1) {
      return options;
    }
    BigInteger token =
        TOKENS.multiply(BigInteger.valueOf(index)).divide(BigInteger.valueOf(places.size()));
    return options
        .withText(ClusterSettings.SEEDS, "127.0.0.1:" + places.get(0).peerPort)
        .withText(ClusterSettings.INITIAL_TOKEN, token.toString())
        .withText(ClusterSettings.RING_DELAY, "2");
  }

  /**
   * Waits until each running node counts exactly this many nodes as up, itself included.
   *
   * @throws IllegalStateException if that takes more than a minute
   */
  public void awaitUp(int count) {
    long untilNanos = System.nanoTime() + LIMIT.toNanos();
    for (String target : running()) {
      try (Colonnade one =
          Colonnade.connect(target, ClientOptions.defaults().withSessions(false))) {
        while (countUp(one) != count) {
          if (System.nanoTime() - untilNanos > 0) {
            throw new IllegalStateException(
                "the node at " + target + " did not see " + count + " nodes up within " + LIMIT);
          }
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      }
    }
  }

  private static long countUp(Colonnade node) {
    return node.cluster().ring("").nodes().stream()
        .filter(each -> each.state() == RingNode.State.NORMAL)
        .filter(each -> each.liveness() == RingNode.Liveness.UP)
        .count();
  }

  private synchronized List<String> running() {
    return places.stream()
        .filter(place -> place.node != null)
        .map(place -> "127.0.0.1:" + place.clientPort)
        .toList();
  }

  /** Drops all keyspaces but the nodes' own. */
  public void dropKeyspaces() {
    for (KeyspaceDefinition keyspace : client().schema().keyspaces()) {
      if (!keyspace.name().equals("system")) {
        client().schema().dropKeyspace(keyspace.name());
      }
    }
  }

  /** Stops the nodes and deletes their data. */
  @Override
  public synchronized void close() {
    try {
      if (client != null) {
        client.close();
      }
      // Nodes that wait for a disk could not stop.
      heal();
      for (int i = 0; i < places.size(); i++) {
        stop(i);
      }
    } finally {
      network.close();
      delete();
    }
  }

  private void delete() {
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                throws IOException {
              if (failure != null) {
                throw failure;
              }
              Files.delete(directory);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("the data of the test's nodes cannot be deleted", e);
    }
  }
}
