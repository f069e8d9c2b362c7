package dev.colonnade.it.bench;

import dev.colonnade.cli.local.bench.BenchRows;
import dev.colonnade.cli.local.bench.BenchSubject;
import dev.colonnade.cli.local.bench.Measurement;
import dev.colonnade.cli.local.bench.RawCall;
import dev.colonnade.it.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that measures two builds by turns. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    description =
        "Measures the nodes of two builds by turns, a single node and a cluster of three each, and"
            + " prints how many times the processor time of the old build a call costs in the new"
            + " one. The middle half of the rounds says how far to trust a ratio. Ends with 1 if a"
            + " call is slower by more than --limit in three quarters of the rounds. Takes some"
            + " fifteen minutes on a quiet machine.")
final class Comparison implements Callable<Integer> {

  private static final int REPLICAS = 3;
  private static final int CLUSTER_ROWS = 10_000;
  private static final double PERCENT = 100;

  @Parameters(index = "0", paramLabel = "OLD.jar", description = "The build to compare with.")
  private Path oldJar = Path.of("old.jar");

  @Parameters(index = "1", paramLabel = "NEW.jar", description = "The build to be judged.")
  private Path newJar = Path.of("new.jar");

  @Option(
      names = "--rounds",
      defaultValue = "12",
      description = "Windows of each call and build, by turns (default ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "1",
      description = "Seconds of one window (default ${DEFAULT-VALUE}).")
  private int windowSeconds;

  @Option(
      names = "--warmup",
      defaultValue = "20",
      description =
          "Seconds of each call before measuring: nodes of a cluster that share two processors are"
              + " still being compiled after five (default ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--in-flight",
      defaultValue = "64",
      description = "Calls under way at any time (default ${DEFAULT-VALUE}).")
  private int inFlight;

  @Option(
      names = "--heap",
      defaultValue = "1g",
      description = "Heap of each node (default ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(
      names = "--limit",
      paramLabel = "PERCENT",
      defaultValue = "5",
      description = "How much slower a call may be (default ${DEFAULT-VALUE}).")
  private int limitPercent;

  @Option(names = "--no-cluster", description = "Compare single nodes only.")
  private boolean withoutCluster;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--call",
      paramLabel = "TEXT",
      description = "Compare only calls whose names contain TEXT, in any case.")
  private String called = "";

  /** One call on both builds, and what was measured of it in each round. */
  private static final class Pair {
    private final String name;
    private final Supplier<BenchSubject> before;
    private final Supplier<BenchSubject> after;
    private final List<Measurement> old = new ArrayList<>();
    private final List<Measurement> changed = new ArrayList<>();

    Pair(String name, Supplier<BenchSubject> before, Supplier<BenchSubject> after) {
      this.name = name;
      this.before = before;
      this.after = after;
    }

    PairedRatios ratios() {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < old.size(); i++) {
        ratios.add(changed.get(i).cpuMicrosPerCall() / old.get(i).cpuMicrosPerCall());
      }
      return new PairedRatios(ratios);
    }

    String row(boolean slower) {
      PairedRatios ratios = ratios();
      return String.format(
          Locale.ROOT,
          "%-32s %8.1f %8.1f %8.2f   %5.2f to %5.2f %9.2f %8.2f  %s",
          name,
          median(old, Measurement::cpuMicrosPerCall),
          median(changed, Measurement::cpuMicrosPerCall),
          ratios.median(),
          ratios.low(),
          ratios.high(),
          median(old, measured -> measured.millisAt(Measurement.TAIL)),
          median(changed, measured -> measured.millisAt(Measurement.TAIL)),
          slower ? "SLOWER" : "");
    }

    private static double median(List<Measurement> measured, ToDoubleFunction<Measurement> figure) {
      return new PairedRatios(measured.stream().map(figure::applyAsDouble).toList()).median();
    }
  }

  /** For picocli. */
  Comparison() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("colonnade-compare");
    try (BuildUnderTest oldNode = start(oldJar, 1, folder.resolve("old1"));
        BuildUnderTest newNode = start(newJar, 1, folder.resolve("new1"))) {
      List<Pair> pairs = new ArrayList<>(single(oldNode, newNode));
      if (withoutCluster) {
        return measure(pairs);
      }
      try (BuildUnderTest oldNodes = start(oldJar, REPLICAS, folder.resolve("old3"));
          BuildUnderTest newNodes = start(newJar, REPLICAS, folder.resolve("new3"))) {
        pairs.addAll(cluster(oldNodes, newNodes));
        return measure(pairs);
      }
    } finally {
      Folders.delete(folder);
    }
  }

  private BuildUnderTest start(Path jar, int nodes, Path folder) throws IOException {
    System.out.println("Starting " + nodes + " x " + jar + " ...");
    return BuildUnderTest.start(jar.toAbsolutePath(), nodes, heap, folder);
  }

  private static List<Pair> single(BuildUnderTest before, BuildUnderTest after)
      throws InterruptedException {
    System.out.println("Loading ...");
    Workloads old = new Workloads(before.channel());
    Workloads changed = new Workloads(after.channel());
    old.load();
    changed.load();
    List<Workload> oldCalls = old.all();
    List<Workload> newCalls = changed.all();
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < oldCalls.size(); i++) {
      String name = oldCalls.get(i).name();
      pairs.add(
          new Pair(
              name,
              subject(name, before, calls(oldCalls.get(i))),
              subject(name, after, calls(newCalls.get(i)))));
    }
    return pairs;
  }

  private static List<Pair> cluster(BuildUnderTest before, BuildUnderTest after)
      throws InterruptedException {
    BenchRows rows = new BenchRows(CLUSTER_ROWS);
    rows.load(before.channel(), REPLICAS);
    rows.load(after.channel(), REPLICAS);
    return List.of(
        pair("write, 3 nodes, QUORUM", before, after, rows::write),
        pair("read, 3 nodes, QUORUM", before, after, rows::read));
  }

  private static Pair pair(
      String name, BuildUnderTest before, BuildUnderTest after, Supplier<RawCall> calls) {
    return new Pair(name, subject(name, before, calls), subject(name, after, calls));
  }

  private static Supplier<RawCall> calls(Workload workload) {
    return () -> new RawCall(workload.method(), workload.requests().get());
  }

  private static Supplier<BenchSubject> subject(
      String name, BuildUnderTest build, Supplier<RawCall> calls) {
    return () -> new BenchSubject(name, build.channel(), build.pids(), calls);
  }

  private int measure(List<Pair> all) throws InterruptedException {
    List<Pair> pairs = all.stream().filter(this::isCompared).toList();
    if (pairs.isEmpty()) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "No call is named like \""
              + called
              + "\"; there are: "
              + String.join("; ", all.stream().map(pair -> pair.name).toList()));
    }
    System.out.println("Warming up ...");
    for (Pair pair : pairs) {
      pair.before.get().warmUp(inFlight, Duration.ofSeconds(warmupSeconds));
      pair.after.get().warmUp(inFlight, Duration.ofSeconds(warmupSeconds));
    }
    for (int round = 1; round <= rounds; round++) {
      System.out.println("Round " + round + " of " + rounds + " ...");
      for (Pair pair : pairs) {
        if (round % 2 == 1) {
          pair.old.add(window(pair.before));
          pair.changed.add(window(pair.after));
        } else {
          pair.changed.add(window(pair.after));
          pair.old.add(window(pair.before));
        }
      }
    }
    return report(pairs) ? 0 : 1;
  }

  private boolean isCompared(Pair pair) {
    return pair.name.toLowerCase(Locale.ROOT).contains(called.toLowerCase(Locale.ROOT));
  }

  private Measurement window(Supplier<BenchSubject> made) throws InterruptedException {
    BenchSubject subject = made.get();
    subject.window(inFlight, Duration.ofSeconds(windowSeconds));
    return subject.measured();
  }

  private boolean report(List<Pair> pairs) {
    System.out.printf(
        Locale.ROOT,
        "%n%-32s %8s %8s %8s   %14s %9s %8s%n",
        "server's CPU us a call, medians",
        "old",
        "new",
        "ratio",
        "half of rounds",
        "p99 old",
        "new ms");
    boolean holds = true;
    for (Pair pair : pairs) {
      boolean slower = pair.ratios().isSlowerBy(limitPercent / PERCENT);
      holds &= !slower;
      System.out.println(pair.row(slower));
    }
    System.out.println(
        holds
            ? "No call is slower by more than " + limitPercent + " %."
            : "Some calls are slower by more than " + limitPercent + " %.");
    return holds;
  }
}
