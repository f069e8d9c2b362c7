package dev.colonnade.it.real;

import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DescribeSchemaVersionsRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.SchemaVersion;
import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.NodeProbe;
import dev.colonnade.it.cluster.NodeView;
import dev.colonnade.it.cluster.TestCluster;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Thousands of keyspaces on three nodes: half of them are made while one node is away, which then
 * has to fetch them. Measures what they cost: the time to make one, the heap of a node, its stop
 * and its start, what is fetched, and gossip. All nodes agree in the end, also after a restart.
 */
record ManyKeyspaces() implements RealCase {

  private static final int NODES = 3;
  private static final int AWAY = 2;
  private static final int KEYSPACES_PER_ROUND = 100;
  private static final int FAMILIES = 2;
  private static final int CALLERS = 4;
  private static final int CALL_SECONDS = 60;
  private static final Duration AGREEMENT_LIMIT = Duration.ofMinutes(3);
  private static final Duration METRICS_LIMIT = Duration.ofMinutes(1);
  private static final String RECEIVED = "colonnade_peer_received_bytes_total";

  @Override
  public String name() {
    return "keyspaces";
  }

  @Override
  public String what() {
    return "a hundred keyspaces of two families each a round are made on three nodes with 256 MiB"
        + " of heap, half of them while one is away; restarts";
  }

  @Override
  public String missing() {
    return "";
  }

  @Override
  public Outcome run(Plan plan) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    List<LocalNode.Host> hosts =
        IntStream.range(0, NODES)
            .mapToObj(node -> new LocalNode.Host("127.0.0." + (node + 21), List.of()))
            .toList();
    try (TestCluster cluster = TestCluster.start(plan.folder(), hosts)) {
      Trial trial = new Trial(cluster);
      int half = plan.rounds() * KEYSPACES_PER_ROUND / 2;
      long emptyHeap = trial.heap(0);
      long together = trial.create(0, half);
      cluster.stop(AWAY);
      cluster.awaitUp(NODES - 1);
      long apart = trial.create(half, 2 * half);
      long from = System.nanoTime();
      cluster.restart(AWAY);
      long startOfAway = Trial.millisSince(from);
      long agreed = trial.awaitAgreement();
      long pulled = trial.dataBytesReceivedByAway();
      from = System.nanoTime();
      cluster.stop(1);
      long stop = Trial.millisSince(from);
      from = System.nanoTime();
      cluster.restart(1);
      long restart = Trial.millisSince(from);
      trial.awaitAgreement();
      String figures =
          2 * half
              + " keyspaces of "
              + FAMILIES
              + " families: one made in "
              + together / Math.max(1, half)
              + " ms by three nodes, in "
              + apart / Math.max(1, half)
              + " ms by two ("
              + CALLERS
              + " callers); heap "
              + (emptyHeap >> 20)
              + " MiB before, "
              + (trial.heap(0) >> 20)
              + " MiB after; the node that was away serves after "
              + startOfAway
              + " ms and agrees "
              + agreed
              + " ms later, "
              + (pulled >> 10)
              + " KiB were sent to it; a stop takes "
              + stop
              + " ms, a start "
              + restart
              + " ms; what a node knows by gossip is "
              + trial.gossipBytes()
              + " bytes";
      return new Outcome(
          plan.rounds(),
          2L * half,
          figures,
          List.copyOf(trial.violations),
          Duration.ofNanos(System.nanoTime() - begin));
    }
  }

  /** One run of it. */
  private static final class Trial {
    private final TestCluster cluster;
    private final List<String> violations = new ArrayList<>();

    Trial(TestCluster cluster) {
      this.cluster = cluster;
    }

    private static long millisSince(long nanos) {
      return (System.nanoTime() - nanos) / 1_000_000;
    }

    private long heap(int node) throws IOException, InterruptedException {
      return new NodeProbe(cluster.node(node)).heapAfterCollectionBytes();
    }

    /** Returns how many milliseconds it took. */
    private long create(int first, int end) throws InterruptedException {
      long from = System.nanoTime();
      AtomicInteger next = new AtomicInteger(first);
      List<Thread> callers = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        LocalNode node = cluster.node(caller % (NODES - 1));
        Thread thread =
            new Thread(
                () -> {
                  for (int i = next.getAndIncrement(); i < end; i = next.getAndIncrement()) {
                    create(node, "Tenant" + i);
                  }
                },
                "creator");
        callers.add(thread);
        thread.start();
      }
      for (Thread thread : callers) {
        thread.join();
      }
      return millisSince(from);
    }

    private void create(LocalNode node, String name) {
      KeyspaceDef.Builder keyspace = KeyspaceDef.newBuilder().setName(name).setReplicationFactor(2);
      for (int family = 0; family < FAMILIES; family++) {
        keyspace.addColumnFamilies(
            ColumnFamilyDef.newBuilder().setKeyspace(name).setName("Family" + family));
      }
      try {
        node.schema()
            .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
            .createKeyspace(CreateKeyspaceRequest.newBuilder().setKeyspace(keyspace).build());
      } catch (StatusRuntimeException e) {
        synchronized (violations) {
          violations.add(name + ": " + e.getMessage());
        }
      }
    }

    /** Until each node says that all have one version. */
    private long awaitAgreement() {
      long from = System.nanoTime();
      cluster.awaitUp(NODES);
      Await.until(
          () -> IntStream.range(0, NODES).allMatch(node -> versions(node).size() == 1),
          AGREEMENT_LIMIT,
          () -> "schemas differ: " + versions(0));
      return millisSince(from);
    }

    private List<SchemaVersion> versions(int node) {
      return cluster
          .node(node)
          .schema()
          .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
          .describeSchemaVersions(DescribeSchemaVersionsRequest.getDefaultInstance())
          .getVersionsList();
    }

    /** Since its start: it has fetched only schemas on their channel class. */
    private long dataBytesReceivedByAway() {
      // A node looks for new peers now and then, and has no series of them before.
      Await.until(
          () -> receivedByAway() > 0, METRICS_LIMIT, () -> "no figures of the node's peers");
      return receivedByAway();
    }

    private long receivedByAway() {
      try {
        NodeView away = cluster.view(AWAY);
        return away.hasMetric(RECEIVED) ? (long) away.metric(RECEIVED, "channel=\"data\"") : 0;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }

    private long gossipBytes() {
      return cluster.view(0).gossip().stream().mapToLong(entry -> entry.getSerializedSize()).sum();
    }
  }
}
