package dev.colonnade.cli.local.bench;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The benchmark of a cluster: the same calls on it and on a single node, by turns in one run, so
 * that ratios hold also on a machine that does other things; then reads while one replica is
 * paused.
 */
public final class ClusterBenchmark {

  /** How many times the processor time of a write on the single node a write at QUORUM may cost. */
  public static final double WRITE_RATIO_LIMIT = 4;

  /** How soon reads at QUORUM must be normal again after a replica was paused. */
  public static final Duration RECOVERY_LIMIT = Duration.ofSeconds(5);

  private static final Duration WINDOW = Duration.ofMillis(250);

  /**
   * How long reads are watched before and after the pause, or the length of the pause if that is
   * less.
   */
  private static final Duration AROUND_STOP = Duration.ofSeconds(10);

  private static final int REPLICAS = 3;

  /**
   * How much to measure.
   *
   * @param rows how many there are; ten thousand fit into every cache
   * @param inFlight calls in progress at any time, on one connection
   * @param warmup of each kind of call
   * @param window the length of one turn
   * @param rounds how many turns each kind of call has
   * @param callsPerSecond reads while a replica is stopped
   * @param standstill how long it is
   */
  public record Plan(
      int rows,
      int inFlight,
      Duration warmup,
      Duration window,
      int rounds,
      int callsPerSecond,
      Duration standstill) {}

  /**
   * Servers of one kind.
   *
   * @param address of the one that is asked
   * @param pids the numbers of all their processes
   */
  public record Servers(String address, List<Long> pids) {

    /** Copies the list. */
    public Servers {
      pids = List.copyOf(pids);
    }
  }

  /** Pauses a replica that clients do not call, and resumes it. */
  public interface Replica {
    /** Pauses it, with its connections open. */
    void stop();

    /** Resumes it. */
    void goOn();
  }

  private final Plan plan;
  private final Consumer<String> progress;
  private final BenchRows rows;

  /**
   * A benchmark.
   *
   * @param progress takes lines about how far it is
   */
  public ClusterBenchmark(Plan plan, Consumer<String> progress) {
    this.plan = plan;
    this.rows = new BenchRows(plan.rows());
    this.progress = progress;
  }

  /** What each kind of call costs, on the single node and on the cluster. */
  public List<BenchSubject> measure(Servers single, Servers cluster) throws InterruptedException {
    ManagedChannel one = connect(single);
    ManagedChannel many = connect(cluster);
    try {
      progress.accept("Loading rows ...");
      rows.load(one, 1);
      rows.load(many, REPLICAS);
      List<BenchSubject> all =
          List.of(
              new BenchSubject("write, one node", one, single.pids(), rows::write),
              new BenchSubject("write, QUORUM", many, cluster.pids(), rows::write),
              new BenchSubject("read, one node", one, single.pids(), rows::read),
              new BenchSubject("read, QUORUM", many, cluster.pids(), rows::read),
              new BenchSubject("half and half, QUORUM", many, cluster.pids(), rows::either));
      for (BenchSubject contender : all) {
        progress.accept("Warming up: " + contender.name() + " ...");
        contender.warmUp(plan.inFlight(), plan.warmup());
      }
      for (int round = 1; round <= plan.rounds(); round++) {
        progress.accept("Round " + round + " of " + plan.rounds() + " ...");
        for (BenchSubject contender : all) {
          contender.window(plan.inFlight(), plan.window());
        }
      }
      return all;
    } finally {
      one.shutdownNow();
      many.shutdownNow();
    }
  }

  /** How many times the cost of a call on the single node a call at QUORUM costs. */
  public static double ratio(List<BenchSubject> all, String kind) {
    return cost(all, kind + ", QUORUM") / cost(all, kind + ", one node");
  }

  private static double cost(List<BenchSubject> all, String name) {
    return all.stream()
        .filter(contender -> contender.name().equals(name))
        .findFirst()
        .map(contender -> contender.measured().cpuMicrosPerCall())
        .orElseThrow();
  }

  /** Reads at QUORUM, at a steady pace, while a replica is paused. After {@link #measure}. */
  public StoppedReplica stop(Servers cluster, Replica replica) throws InterruptedException {
    ManagedChannel channel = connect(cluster);
    Duration around =
        plan.standstill().compareTo(AROUND_STOP) < 0 ? plan.standstill() : AROUND_STOP;
    Duration all = plan.standstill().plus(around.multipliedBy(2));
    int windows = (int) all.dividedBy(WINDOW) + 1;
    try {
      progress.accept("Reading " + plan.callsPerSecond() + " rows a second ...");
      warmPace(channel);
      LatencySeries series = new LatencySeries(System.nanoTime(), WINDOW, 2 * windows);
      PacedLoad load = new PacedLoad(channel, rows::read, plan.callsPerSecond(), series);
      load.start();
      PacedLoad.pass(around);
      progress.accept("Stopping a replica ...");
      long stopped = System.nanoTime();
      replica.stop();
      PacedLoad.pass(plan.standstill());
      progress.accept("Letting it go on ...");
      long back = System.nanoTime();
      replica.goOn();
      PacedLoad.pass(around);
      long end = System.nanoTime();
      load.stop();
      return StoppedReplica.of(series, WINDOW, stopped, back, end);
    } finally {
      replica.goOn();
      channel.shutdownNow();
    }
  }

  private void warmPace(ManagedChannel channel) throws InterruptedException {
    LatencySeries unused = new LatencySeries(System.nanoTime(), WINDOW, 1);
    PacedLoad load = new PacedLoad(channel, rows::read, plan.callsPerSecond(), unused);
    load.start();
    PacedLoad.pass(plan.warmup());
    load.stop();
  }

  /** Whether the limits hold, with a line for each. */
  public static List<Limit> limits(List<BenchSubject> all, Optional<StoppedReplica> stopped) {
    List<Limit> limits = new ArrayList<>();
    double ratio = ratio(all, "write");
    limits.add(new Limit("write_cpu_ratio", ratio, WRITE_RATIO_LIMIT, ratio <= WRITE_RATIO_LIMIT));
    stopped.ifPresent(
        scenario ->
            limits.add(
                new Limit(
                    "stopped_replica_recovery_seconds",
                    scenario.recoveredMillis().isPresent()
                        ? scenario.recoveredMillis().getAsLong() / 1000.0
                        : Double.POSITIVE_INFINITY,
                    RECOVERY_LIMIT.toSeconds(),
                    scenario.recoveredWithin(RECOVERY_LIMIT))));
    return limits;
  }

  /** A figure and the most it may be. */
  public record Limit(String name, double figure, double atMost, boolean holds) {}

  private static ManagedChannel connect(Servers servers) {
    return NettyChannelBuilder.forTarget(servers.address()).usePlaintext().directExecutor().build();
  }
}
