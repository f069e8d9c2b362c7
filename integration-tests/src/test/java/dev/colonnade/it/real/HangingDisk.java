package dev.colonnade.it.real;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ALL;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ONE;

import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.ProcessNode;
import dev.colonnade.it.SmallDisk;
import dev.colonnade.it.cluster.NodeView;
import dev.colonnade.it.cluster.Rows;
import dev.colonnade.it.cluster.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The disk of one of three nodes, with its data and its commit log, repeatedly does not answer for
 * a while, while clients write and read at QUORUM through all of them and the node flushes and
 * merges. The node answers its probes all the time and soon reports what is stalled; its peers hear
 * of it and serve their clients as before; its own clients get an answer or a reason before they
 * lose patience. When the disk answers, the node continues by itself and lacks nothing.
 */
record HangingDisk() implements RealCase {

  private static final int NODES = 3;
  private static final int HANGING = 1;
  private static final int DISK_MEGABYTES = 320;

  /** After which a node ends a call with a reason, and how long clients wait for it. */
  private static final int TIMEOUT_SECONDS = 4;

  private static final int PATIENCE_SECONDS = 5 * TIMEOUT_SECONDS;

  static final int STALL_LIMIT_SECONDS = 2;

  /** The limit, two checks of the watchdog, and a margin for a busy machine. */
  static final Duration NOTICE_LIMIT = Duration.ofSeconds(STALL_LIMIT_SECONDS + 4);

  private static final Duration HEARD_LIMIT = Duration.ofSeconds(5);
  private static final Duration RETURN_LIMIT = Duration.ofSeconds(30);
  private static final Duration MEASURED = Duration.ofSeconds(3);
  private static final int LONGER_MILLIS_MAX = 6_000;
  private static final double GOODPUT_MIN = 0.8;

  @Override
  public String name() {
    return "hang-cluster";
  }

  @Override
  public String what() {
    return "ext4 under one of three nodes is frozen under load at QUORUM, and thawed again";
  }

  @Override
  public String missing() throws IOException {
    return RealDisk.missing(SmallDisk.Kind.EXT4, List.of("fsfreeze"));
  }

  static Path storageConf(Path folder, int timeoutSeconds) throws IOException {
    return Files.writeString(
        folder.resolve("storage-conf.xml"),
        "<Storage><StallLimitInSeconds>"
            + STALL_LIMIT_SECONDS
            + "</StallLimitInSeconds><RpcTimeoutInMillis>"
            + TimeUnit.SECONDS.toMillis(timeoutSeconds)
            + "</RpcTimeoutInMillis></Storage>\n");
  }

  @Override
  public Outcome run(Plan plan) throws IOException {
    long begin = System.nanoTime();
    List<LocalNode.Host> hosts =
        IntStream.range(0, NODES)
            .mapToObj(node -> new LocalNode.Host("127.0.0." + (node + 11), List.of()))
            .toList();
    // Its output lies beside its data, as a user's log does on another disk.
    try (SmallDisk disk =
            SmallDisk.mounted(
                SmallDisk.Kind.EXT4, plan.folder().resolve("node" + HANGING), DISK_MEGABYTES);
        TestCluster cluster =
            TestCluster.start(
                plan.folder(),
                hosts,
                "--hint-interval",
                "5",
                "--storage-conf",
                storageConf(plan.folder(), TIMEOUT_SECONDS).toString())) {
      Rows rows = new Rows("Hanging", PATIENCE_SECONDS, false);
      cluster.create(rows.uncached(NODES));
      Trial trial = new Trial(disk, cluster, rows, plan.random());
      try {
        trial.run(plan.rounds());
      } finally {
        // A process that waits for a frozen disk cannot be killed.
        disk.thaw();
      }
      return trial.outcome(Duration.ofNanos(System.nanoTime() - begin));
    }
  }

  /** One run of it. */
  private static final class Trial {
    private final SmallDisk disk;
    private final TestCluster cluster;
    private final Rows rows;
    private final Random random;
    private final QuorumClients clients;
    private final MaintenanceLoop maintenance;
    private final Probes probes;
    private final List<String> violations = new ArrayList<>();
    private int rounds;
    private long slowestNoticeMillis;
    private long slowestReturnMillis;
    private double leastGoodput = Double.MAX_VALUE;
    private long convergedMillis;
    private String named = "";

    Trial(SmallDisk disk, TestCluster cluster, Rows rows, Random random) {
      this.disk = disk;
      this.cluster = cluster;
      this.rows = rows;
      this.random = random;
      this.clients =
          new QuorumClients(rows, IntStream.range(0, NODES).mapToObj(cluster::node).toList());
      this.maintenance = new MaintenanceLoop(cluster.node(HANGING), rows.keyspace());
      this.probes = Probes.of(cluster.node(HANGING));
    }

    void run(int wanted) throws IOException {
      clients.start(random);
      maintenance.start();
      try {
        while (rounds < wanted && violations.isEmpty()) {
          round();
          rounds++;
        }
      } catch (AssertionError e) {
        violations.add(String.valueOf(e.getMessage()));
      } finally {
        disk.thaw();
        maintenance.close();
        clients.close();
        probes.close();
      }
      probes.unhealthy().forEach(words -> violations.add("/healthz: " + words));
      silences();
      if (violations.isEmpty()) {
        converge();
      }
      violations.addAll(clients.violations());
    }

    private void round() throws IOException {
      Await.pass(Duration.ofMillis(random.nextInt(1_000)));
      double before = answersOfOthers();
      long from = System.nanoTime();
      disk.freeze();
      Await.until(
          () -> probes.notReady().contains("has made no progress"),
          NOTICE_LIMIT,
          () -> "/readyz of the node whose disk hangs says '" + probes.notReady() + "'");
      slowestNoticeMillis = Math.max(slowestNoticeMillis, millisSince(from));
      named = probes.notReady();
      String id = cluster.view(HANGING).id();
      for (int node = 0; node < NODES; node++) {
        NodeView peer = cluster.view(node);
        Await.until(
            () -> peer.gossipOf(id).getStateOrDefault("health", "").startsWith("unfavourable"),
            HEARD_LIMIT,
            () -> "a peer has not heard of it: " + peer.gossipOf(id));
      }
      double goodput = answersOfOthers() / before;
      leastGoodput = Math.min(leastGoodput, goodput);
      if (goodput < GOODPUT_MIN) {
        violations.add("clients of the other nodes get " + goodput + " of the answers");
      }
      Await.pass(Duration.ofMillis(rounds == 0 ? 0 : random.nextInt(LONGER_MILLIS_MAX)));
      if (!((ProcessNode) cluster.node(HANGING)).log().contains("\n\tat ")) {
        violations.add("the log has no stack of what stands still");
      }
      long answered = clients.answered(HANGING);
      from = System.nanoTime();
      disk.thaw();
      Await.until(
          () -> probes.notReady().isEmpty() && clients.answered(HANGING) > answered,
          RETURN_LIMIT,
          () -> "after the disk answers again: " + probes.notReady());
      slowestReturnMillis = Math.max(slowestReturnMillis, millisSince(from));
      maintenance.awaitTurn();
    }

    private static long millisSince(long nanos) {
      return (System.nanoTime() - nanos) / 1_000_000;
    }

    /** How many calls through the nodes with sound disks are answered, in the time measured. */
    private double answersOfOthers() {
      long before = othersAnswered();
      Await.pass(MEASURED);
      return othersAnswered() - before;
    }

    private long othersAnswered() {
      return IntStream.range(0, NODES)
          .filter(node -> node != HANGING)
          .mapToLong(clients::answered)
          .sum();
    }

    /** A failed call must get the reason from the node, not only its own time-out. */
    private void silences() {
      for (int node = 0; node < NODES; node++) {
        for (Map.Entry<String, Long> failure : clients.failures(node).entrySet()) {
          if (failure.getKey().startsWith(QuorumClients.NO_WORD)) {
            violations.add(
                failure.getValue() + " calls through node " + node + ": " + failure.getKey());
          }
        }
      }
    }

    /** When hints have arrived, each node holds the same, and all of them answer together. */
    private void converge() {
      long from = System.nanoTime();
      cluster.awaitUp(NODES);
      Await.until(() -> hints() == 0, RETURN_LIMIT, () -> hints() + " hints are not delivered");
      convergedMillis = millisSince(from);
      for (String key : QuorumClients.keys()) {
        List<String> values = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
          values.add(rows.read(cluster.node(node), key, CONSISTENCY_LEVEL_ONE).orElse("nothing"));
        }
        for (int node = 0; node < NODES; node++) {
          values.add(rows.read(cluster.node(node), key, CONSISTENCY_LEVEL_ALL).orElse("nothing"));
        }
        if (values.stream().distinct().count() > 1) {
          violations.add("the nodes hold " + values + " of " + key);
        }
      }
    }

    private long hints() {
      return IntStream.range(0, NODES).mapToLong(node -> cluster.view(node).hints()).sum();
    }

    Outcome outcome(Duration took) {
      return new Outcome(
          rounds,
          clients.acknowledged(),
          clients.acknowledged()
              + " writes, "
              + clients.reads()
              + " reads, failed through the node: "
              + clients.failures(HANGING)
              + ", through others: "
              + clients.failures(0)
              + " "
              + clients.failures(2)
              + "; not ready after "
              + slowestNoticeMillis
              + " ms at most ("
              + named
              + "), probes answer within "
              + probes.slowestMillis()
              + " ms; goodput of the others "
              + Math.round(leastGoodput * 100)
              + " % at least; ready "
              + slowestReturnMillis
              + " ms after the thaw at most, hints delivered after "
              + convergedMillis
              + " ms; "
              + maintenance.turns()
              + " flushes and merges",
          List.copyOf(violations),
          took);
    }
  }
}
