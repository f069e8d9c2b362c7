package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.local.bench.BenchSubject;
import dev.colonnade.cli.local.bench.ClusterBenchmark;
import dev.colonnade.cli.local.bench.StoppedReplica;
import dev.colonnade.cli.shell.output.Output;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What calls cost on a cluster of three nodes, and how a paused replica affects them. */
@Command(
    name = "cluster",
    description = {
      "Measures a cluster of three nodes on this machine, beside a single node.",
      "",
      "Every row has three copies and one column of 1 kB, and is read and written at QUORUM. The"
          + " cluster and a single node get the same calls by turns; the result that counts is the"
          + " ratio of the servers' processor time for a call, all nodes together, because calls a"
          + " second depend on what else the machine does. Then one replica is stopped (SIGSTOP)"
          + " while reads go on at a steady pace. Takes some three minutes.",
      ""
    },
    sortOptions = false)
public final class BenchClusterCommand implements Callable<Integer> {

  private static final int NODES = 3;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "10000",
      description =
          "How many rows there are; this many fit into every cache, so that disks do not matter"
              + " (default: ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--in-flight",
      paramLabel = "N",
      defaultValue = "64",
      description = "Calls in progress at any time, on one connection (default: ${DEFAULT-VALUE}).")
  private int inFlight;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Seconds of each call before measuring (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "2",
      description = "Seconds of one turn (default: ${DEFAULT-VALUE}).")
  private int windowSeconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Turns of each call (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--pace",
      paramLabel = "N",
      defaultValue = "500",
      description = "Reads a second while a replica is stopped (default: ${DEFAULT-VALUE}).")
  private int pace;

  @Option(
      names = "--standstill",
      paramLabel = "SECONDS",
      defaultValue = "20",
      description =
          "How many seconds a replica is stopped; 0 leaves this part out, as is necessary on"
              + " Windows (default: ${DEFAULT-VALUE}).")
  private int standstillSeconds;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "512m",
      description = "The heap of each node, as for -Xmx (default: ${DEFAULT-VALUE}).")
  private String heap = "512m";

  @Option(
      names = "--commit-log-sync",
      paramLabel = "MODE",
      defaultValue = "periodic",
      description = "periodic or batch (default: ${DEFAULT-VALUE}).")
  private String commitLogSync = "periodic";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "table",
      converter = FormConverter.class,
      description = "The form of the figures: table, or json, an object per line (default: table).")
  private OutputForm form = OutputForm.TABLE;

  @Option(
      names = "--series",
      description = "Show every window around the pause (json has them all).")
  private boolean showSeries;

  @Option(
      names = "--check",
      description = "End with status 1 when a limit is exceeded, instead of only saying so.")
  private boolean checking;

  /** For picocli. */
  public BenchClusterCommand() {}

  @Override
  public Integer call() throws CommandException, IOException, InterruptedException {
    LogLevel.unlessSet("WARN");
    if (rows < 1 || inFlight < 1 || windowSeconds < 1 || rounds < 1 || pace < 1) {
      throw new ParameterException(
          spec.commandLine(), "--rows, --in-flight, --seconds, --rounds and --pace are 1 or more");
    }
    if (warmupSeconds < 0 || standstillSeconds < 0) {
      throw new ParameterException(
          spec.commandLine(), "--warmup and --standstill are seconds, 0 or more");
    }
    Output output =
        form.to(Printer.plain(spec.commandLine().getOut(), spec.commandLine().getErr()));
    try {
      return bench(output, form == OutputForm.JSON);
    } catch (StatusRuntimeException | IllegalStateException e) {
      throw CommandException.failed("a call failed: " + e.getMessage(), e);
    }
  }

  private int bench(Output output, boolean forPrograms)
      throws CommandException, IOException, InterruptedException {
    ClusterBenchmark benchmark =
        new ClusterBenchmark(
            new ClusterBenchmark.Plan(
                rows,
                inFlight,
                Duration.ofSeconds(warmupSeconds),
                Duration.ofSeconds(windowSeconds),
                rounds,
                pace,
                Duration.ofSeconds(standstillSeconds)),
            this::progress);
    progress("Starting " + NODES + " nodes, and one beside them ...");
    List<BenchSubject> figures;
    Optional<StoppedReplica> stopped = Optional.empty();
    try (TemporaryCluster cluster = start(NODES)) {
      ClusterBenchmark.Servers servers = servers(cluster);
      try (TemporaryCluster single = start(1)) {
        figures = benchmark.measure(servers(single), servers);
      }
      if (standstillSeconds > 0) {
        stopped = Optional.of(benchmark.stop(servers, replica(cluster)));
      }
    }
    List<ClusterBenchmark.Limit> limits = ClusterBenchmark.limits(figures, stopped);
    BenchReport report = new BenchReport(output);
    report.calls(figures);
    stopped.ifPresent(scenario -> report.standstill(scenario, showSeries || forPrograms));
    report.limits(limits);
    boolean hold = limits.stream().allMatch(ClusterBenchmark.Limit::holds);
    return hold || !checking ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private TemporaryCluster start(int nodes) throws CommandException, InterruptedException {
    return TemporaryCluster.start(
        nodes,
        new NodeProcess.Memory(heap, List.of("-Xms" + heap)),
        List.of("--commit-log-sync", commitLogSync));
  }

  private static ClusterBenchmark.Servers servers(TemporaryCluster cluster) {
    return new ClusterBenchmark.Servers(cluster.addresses().get(0), cluster.pids());
  }

  /**
   * The last node. The first one is asked, and is as close in the ring to this one as to the other.
   */
  private static ClusterBenchmark.Replica replica(TemporaryCluster cluster) {
    PausedProcess last = new PausedProcess(cluster.pids().get(NODES - 1));
    return new ClusterBenchmark.Replica() {
      @Override
      public void stop() {
        last.begin();
      }

      @Override
      public void goOn() {
        last.end();
      }
    };
  }

  private void progress(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
