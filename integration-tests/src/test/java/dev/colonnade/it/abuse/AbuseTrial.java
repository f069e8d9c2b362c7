package dev.colonnade.it.abuse;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One case against one node: well-behaved clients beside the harmless neighbour, then beside the
 * abuse, then after it.
 */
final class AbuseTrial {

  /** What the node promises to its well-behaved clients. */
  static final double GOODPUT_MIN = 0.8;

  static final double TAIL_FACTOR_MAX = 5;

  /**
   * A tail below this is as good as any: it is what the scheduler of a busy machine adds to a call
   * now and then.
   */
  static final double TAIL_FLOOR_MILLIS = 5;

  private static final Duration RECOVERY_MAX = Duration.ofSeconds(60);
  private static final Duration PROBE_EVERY = Duration.ofMillis(500);

  private final AbuseCase abuse;
  private final String heap;
  private final Duration time;
  private final Duration baseTime;

  AbuseTrial(AbuseCase abuse, String heap, Duration time, Duration baseTime) {
    this.abuse = abuse;
    this.heap = heap;
    this.time = time;
    this.baseTime = baseTime;
  }

  /**
   * The result.
   *
   * @param base beside the harmless neighbour
   * @param beside beside the abuse
   * @param abused the outcomes of the abusive calls
   * @param outOfMemory lines of the log
   * @param peakMebibytes most RAM of the node's process
   * @param probesMissed looks at /healthz and /readyz that were not answered with 200 in a second
   * @param recoverySeconds until the well-behaved were served again, once the abuse was over
   * @param stopMillis how long SIGTERM took; during the abuse, if that continues
   */
  record Outcome(
      AbuseCase abuse,
      String heap,
      GoodClients.Figures base,
      GoodClients.Figures beside,
      Tally.Counts abused,
      List<String> outOfMemory,
      long peakMebibytes,
      int probes,
      int probesMissed,
      double recoverySeconds,
      long stopMillis,
      boolean alive) {

    double goodput() {
      return base.goodput() == 0 ? 0 : beside.goodput() / base.goodput();
    }

    double tailFactor() {
      return beside.p99Millis() / Math.max(TAIL_FLOOR_MILLIS, base.p99Millis());
    }

    boolean holds() {
      return alive
          && outOfMemory.isEmpty()
          && goodput() >= GOODPUT_MIN
          && tailFactor() <= TAIL_FACTOR_MAX
          && probesMissed == 0;
    }

    static String header() {
      return "| case | heap | good calls | p99 ms: before, beside | reads, writes beside | factor |"
          + " abusive calls: ok |"
          + " refused | cancelled | other | out of memory | MiB | probes missed | served after s |"
          + " stop ms | |\n"
          + "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |"
          + " ---: | ---: | --- |";
    }

    String row() {
      return String.format(
          Locale.ROOT,
          "| %s | %s | %.0f %% | %.1f, %.1f | %.1f, %.1f | %.1f | %d | %d | %d | %s | %d | %d | %d of %d | %.1f |"
              + " %d | %s |",
          abuse.name(),
          heap.isEmpty() ? "default" : heap,
          100 * goodput(),
          base.p99Millis(),
          beside.p99Millis(),
          GoodClients.Figures.p99Millis(beside.reads()),
          GoodClients.Figures.p99Millis(beside.writes()),
          tailFactor(),
          abused.ok(),
          abused.refused(),
          abused.cancelled(),
          abused.failed().isEmpty() ? "0" : abused.failed().toString(),
          outOfMemory.size(),
          peakMebibytes,
          probesMissed,
          probes,
          recoverySeconds,
          stopMillis,
          alive ? (holds() ? "ok" : "FAILS") : "DEAD");
    }
  }

  Outcome run(Path folder) throws IOException, InterruptedException {
    try (AbusedNode node = AbusedNode.start(folder, heap, 0)) {
      node.target().load();
      try (GoodClients good = GoodClients.start(node.target())) {
        GoodClients.Figures base;
        try (AbuserProcess neighbour =
            AbuserProcess.start(AbuseCases.neighbour(), node.target(), folder)) {
          // In the meantime the node's code is compiled.
          good.measure(baseTime);
          base = good.measure(baseTime);
          neighbour.end();
        }
        return beside(node, good, base, folder);
      }
    }
  }

  private Outcome beside(AbusedNode node, GoodClients good, GoodClients.Figures base, Path folder)
      throws IOException, InterruptedException {
    GoodClients.Figures beside;
    Tally.Counts abused;
    Probing probing = new Probing(node);
    try (AbuserProcess abuser = AbuserProcess.start(abuse, node.target(), folder)) {
      probing.start();
      beside = good.measure(time);
      probing.end();
      abused = abuser.end();
    }
    double recovery = recovery(node, good);
    long peak = node.peakMebibytes();
    boolean alive = node.isAlive();
    Duration stop = node.stop();
    return new Outcome(
        abuse,
        heap,
        base,
        beside,
        abused,
        node.outOfMemory(),
        peak,
        probing.probes,
        probing.missed,
        recovery,
        stop.toMillis(),
        alive);
  }

  private static double recovery(AbusedNode node, GoodClients good) {
    long begin = System.nanoTime();
    while (node.isAlive() && System.nanoTime() - begin < RECOVERY_MAX.toNanos()) {
      long since = System.nanoTime();
      if (good.isServed()) {
        return (since - begin) / 1e9;
      }
    }
    return RECOVERY_MAX.toSeconds();
  }

  /** Checks the probes now and then. */
  private static final class Probing extends Thread {
    private final AbusedNode node;
    private final AtomicBoolean over = new AtomicBoolean();
    private int probes;
    private int missed;

    Probing(AbusedNode node) {
      super("probing");
      this.node = node;
      setDaemon(true);
    }

    @Override
    public void run() {
      while (!over.get()) {
        look("/healthz");
        look("/readyz");
        GoodClients.pass(PROBE_EVERY);
      }
    }

    private void look(String path) {
      probes++;
      if (!node.probe(path)) {
        missed++;
      }
    }

    void end() throws InterruptedException {
      over.set(true);
      join();
    }
  }
}
