package dev.colonnade.it.real;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ONE;

import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.cluster.Rows;
import dev.colonnade.it.cluster.TestCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The network between three nodes is partitioned in various ways while clients write and read at
 * QUORUM through all of them. Nothing that was acknowledged is lost, no read is older than what was
 * acknowledged or seen before it, nodes that can reach a quorum continue to answer, all answer
 * again when the network is whole, and then all nodes hold the same data.
 */
record Partitions() implements RealCase {

  private static final int NODES = 3;
  private static final int CALL_SECONDS = 4;
  private static final int FAULT_MILLIS_MIN = 1_000;

  /** Now and then longer than it takes to consider a node down. */
  private static final int FAULT_MILLIS_MAX = 20_000;

  /** In a fault that lasts this long, a node that can reach a quorum must have answered. */
  private static final int ANSWER_MILLIS = 10_000;

  private static final List<Fault> FAULTS = List.of(Fault.values());
  private static final int QUIET_MILLIS_MAX = 4_000;
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @Override
  public String name() {
    return "partition";
  }

  @Override
  public String what() {
    return "three nodes in network namespaces, cut off from each other by nft under load at QUORUM";
  }

  @Override
  public String missing() {
    return NodeNetwork.missing();
  }

  @Override
  public Outcome run(Plan plan) throws IOException {
    long begin = System.nanoTime();
    try (NodeNetwork network = NodeNetwork.of(NODES);
        TestCluster cluster =
            TestCluster.start(
                plan.folder(),
                IntStream.range(0, NODES).mapToObj(network::host).toList(),
                "--hint-interval",
                "5")) {
      Rows rows = new Rows("Apart", CALL_SECONDS);
      cluster.create(rows.definition(NODES));
      Trial trial = new Trial(network, cluster, rows, plan.random());
      trial.run(plan.rounds());
      return trial.outcome(Duration.ofNanos(System.nanoTime() - begin));
    }
  }

  /** How the network is partitioned. */
  private enum Fault {
    /** One node reaches no other and is reached by none. */
    ISLAND,
    /** Two nodes cannot reach each other; both reach the third. */
    BROKEN_LINK,
    /** One node is heard by the others and hears none. */
    DEAF,
    /** One node hears another one, which does not hear it. */
    ONE_WAY,
    /** No node reaches another one. */
    ALL_APART
  }

  /** One run of it. */
  private static final class Trial {
    private final NodeNetwork network;
    private final TestCluster cluster;
    private final Rows rows;
    private final Random random;
    private final QuorumClients clients;
    private final List<String> violations = new ArrayList<>();
    private final Map<Fault, Integer> faults = new TreeMap<>();
    private int rounds;
    private long slowestReturnMillis;
    private long convergedMillis;

    Trial(NodeNetwork network, TestCluster cluster, Rows rows, Random random) {
      this.network = network;
      this.cluster = cluster;
      this.rows = rows;
      this.random = random;
      List<LocalNode> nodes = IntStream.range(0, NODES).mapToObj(cluster::node).toList();
      this.clients = new QuorumClients(rows, nodes);
    }

    void run(int wanted) throws IOException {
      clients.start(random);
      try {
        while (rounds < wanted && violations.isEmpty()) {
          round();
          rounds++;
        }
      } finally {
        network.heal();
        clients.close();
      }
      converge();
      for (int node = 0; node < NODES; node++) {
        clients.readAll(node);
      }
      violations.addAll(clients.violations());
    }

    private void round() throws IOException {
      Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
      faults.merge(fault, 1, Integer::sum);
      int first = random.nextInt(NODES);
      int second = (first + 1 + random.nextInt(NODES - 1)) % NODES;
      // Short ones are more frequent: they end before any node is considered down.
      double part = random.nextDouble();
      int millis = FAULT_MILLIS_MIN + (int) (part * part * (FAULT_MILLIS_MAX - FAULT_MILLIS_MIN));
      Set<Integer> serving = begin(fault, first, second);
      long[] before = answered();
      Await.pass(Duration.ofMillis(millis));
      for (int node : serving) {
        if (millis >= ANSWER_MILLIS && clients.answered(node) == before[node]) {
          violations.add("node " + node + " answered nothing in " + millis + " ms of " + fault);
        }
      }
      network.heal();
      awaitAnswers();
      Await.pass(Duration.ofMillis(random.nextInt(QUIET_MILLIS_MAX)));
    }

    /** Which nodes can still reach a quorum. */
    private Set<Integer> begin(Fault fault, int first, int second) throws IOException {
      int third = NODES - first - second;
      switch (fault) {
        case ISLAND -> {
          cut(first, second);
          cut(first, third);
          return Set.of(second, third);
        }
        case BROKEN_LINK -> {
          cut(first, second);
          return Set.of(first, second, third);
        }
        case DEAF -> {
          network.drop(second, first);
          network.drop(third, first);
          return Set.of(second, third);
        }
        case ONE_WAY -> {
          network.drop(first, second);
          return Set.of(first, second, third);
        }
        case ALL_APART -> {
          cut(first, second);
          cut(first, third);
          cut(second, third);
          return Set.of();
        }
      }
      throw new IllegalStateException("no fault " + fault);
    }

    private void cut(int one, int other) throws IOException {
      network.drop(one, other);
      network.drop(other, one);
    }

    private long[] answered() {
      return IntStream.range(0, NODES).mapToLong(clients::answered).toArray();
    }

    /** Until each node has answered a call at QUORUM. */
    private void awaitAnswers() {
      long[] before = answered();
      long from = System.nanoTime();
      Await.until(
          () -> IntStream.range(0, NODES).allMatch(node -> clients.answered(node) > before[node]),
          LIMIT,
          () -> "not all nodes answer at QUORUM after the network is whole again");
      slowestReturnMillis = Math.max(slowestReturnMillis, (System.nanoTime() - from) / 1_000_000);
    }

    /** When hints have arrived each node, asked by itself, has the same value in each row. */
    private void converge() throws IOException {
      long from = System.nanoTime();
      cluster.awaitUp(NODES);
      Await.until(() -> hints() == 0, LIMIT, () -> hints() + " hints are not delivered");
      convergedMillis = (System.nanoTime() - from) / 1_000_000;
      begin(Fault.ALL_APART, 0, 1);
      try {
        cluster.awaitUp(1);
        for (String key : QuorumClients.keys()) {
          List<String> values = new ArrayList<>();
          for (int node = 0; node < NODES; node++) {
            values.add(rows.read(cluster.node(node), key, CONSISTENCY_LEVEL_ONE).orElse("nothing"));
          }
          if (values.stream().distinct().count() > 1) {
            violations.add("the nodes hold " + values + " of " + key);
          }
        }
      } finally {
        network.heal();
      }
      cluster.awaitUp(NODES);
    }

    private long hints() {
      return IntStream.range(0, NODES).mapToLong(node -> cluster.view(node).hints()).sum();
    }

    Outcome outcome(Duration took) {
      return new Outcome(
          rounds,
          clients.acknowledged(),
          faults
              + ", "
              + clients.acknowledged()
              + " writes, "
              + clients.reads()
              + " reads, "
              + clients.failed()
              + " calls failed; all nodes answer after "
              + slowestReturnMillis
              + " ms at most, hints delivered after "
              + convergedMillis
              + " ms",
          List.copyOf(violations),
          took);
    }
  }
}
