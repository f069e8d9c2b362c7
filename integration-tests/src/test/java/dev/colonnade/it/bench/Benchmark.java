package dev.colonnade.it.bench;

import com.google.gson.JsonObject;
import dev.colonnade.cli.local.bench.LoadGenerator;
import dev.colonnade.cli.local.bench.Measurement;
import dev.colonnade.cli.local.bench.RawCall;
import dev.colonnade.it.ChildJvm;
import dev.colonnade.it.Folders;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.bench.layout.LayoutBenchmark;
import dev.colonnade.it.bench.search.SearchBenchmark;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command: starts what is to be measured, measures by turns, prints a table and a verdict. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    subcommands = {
      Comparison.class,
      ClientBenchmark.class,
      StartBenchmark.class,
      FailoverBenchmark.class,
      LayoutBenchmark.class,
      SearchBenchmark.class
    },
    description =
        "Measures inserts, reads and slices through gRPC beside calls that do nothing, and ends"
            + " with 0 when the limits hold, 1 when not.")
public final class Benchmark implements Callable<Integer> {

  private static final Duration RAMP = Duration.ofMillis(200);
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  @Option(
      names = "--target",
      paramLabel = "HOST:PORT",
      description = "Measure this server instead of starting one; its keyspace Bench is dropped.")
  private @Nullable String target;

  @Option(
      names = "--pid",
      description = "The process of --target on this machine; without it there is no CPU time.")
  private @Nullable Long targetPid;

  @Option(
      names = "--in-flight",
      defaultValue = "64",
      description = "Calls under way at any time (default ${DEFAULT-VALUE}).")
  private int inFlight;

  @Option(
      names = "--warmup",
      defaultValue = "10",
      description = "Seconds of each call before measuring (default ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--seconds",
      defaultValue = "2",
      description = "Seconds of one window (default ${DEFAULT-VALUE}).")
  private int windowSeconds;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "Windows of each call, taken by turns (default ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--heap",
      defaultValue = "1g",
      description = "Heap of a server started here (default ${DEFAULT-VALUE}).")
  private String heap;

  @Option(
      names = "--commit-log-sync",
      defaultValue = "periodic",
      description = "periodic or batch, of a server started here (default ${DEFAULT-VALUE}).")
  private String commitLogSync;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write a JSON object a line.")
  private @Nullable Path jsonFile;

  /** For picocli. */
  Benchmark() {
    heap = "1g";
    commitLogSync = "periodic";
  }

  /** See {@code --help}. */
  public static void main(String[] args) {
    CommandLine line = new CommandLine(new Benchmark());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    System.exit(line.execute(args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("colonnade-bench");
    Process noop = startNoop(folder);
    try {
      if (target != null) {
        return measure(new Server(connect(target), targetPid), noopServer(folder, noop));
      }
      LocalNode.Settings settings =
          LocalNode.Settings.in(folder.resolve("data"))
              .withCommitLogSync(commitLogSync)
              .withJvmArguments("-Xms" + heap, "-Xmx" + heap);
      try (LocalNode node = LocalNode.process(settings)) {
        return measure(new Server(node.channel(), node.pid()), noopServer(folder, noop));
      }
    } finally {
      noop.destroyForcibly();
      Folders.delete(folder);
    }
  }

  /** A measured process; without a process number there is no CPU time. */
  private record Server(ManagedChannel channel, @Nullable Long pid) {

    Duration cpu() {
      return pid == null
          ? Duration.ZERO
          : ProcessHandle.of(pid)
              .flatMap(process -> process.info().totalCpuDuration())
              .orElse(Duration.ZERO);
    }
  }

  private static Process startNoop(Path folder) throws IOException {
    return ChildJvm.start(
        ChildJvm.main(List.of("-Xmx256m"), NoopServer.class.getName()),
        folder.resolve("noop.out"),
        "serving",
        START_LIMIT);
  }

  private static Server noopServer(Path folder, Process noop) throws IOException {
    String port = Files.readString(folder.resolve("noop.out")).split(" ", -1)[1];
    return new Server(connect("127.0.0.1:" + port), noop.pid());
  }

  private static ManagedChannel connect(String address) {
    return NettyChannelBuilder.forTarget(address).usePlaintext().directExecutor().build();
  }

  private int measure(Server server, Server noop) throws InterruptedException, IOException {
    Workloads workloads = new Workloads(server.channel());
    System.out.println("Loading ...");
    workloads.load();
    List<Result> results = new ArrayList<>();
    for (Workload workload : workloads.all()) {
      results.add(new Result(workload));
    }
    System.out.println("Warming up ...");
    for (Result result : results) {
      Duration warmup = Duration.ofSeconds(warmupSeconds);
      // One method does for all: the server that does nothing runs the same code for each of them.
      window(noop, result.noopWorkload(), warmup.dividedBy(2), new Measurement());
      window(server, result.workload(), warmup, new Measurement());
    }
    for (int round = 1; round <= rounds; round++) {
      System.out.println("Round " + round + " of " + rounds + " ...");
      for (Result result : results) {
        Duration time = Duration.ofSeconds(windowSeconds);
        window(noop, result.noopWorkload(), time, result.noop());
        window(server, result.workload(), time, result.measured());
      }
    }
    Verdict verdict = Verdict.of(results, server.pid() != null);
    System.out.print(Result.table(results));
    System.out.println(verdict.text());
    if (jsonFile != null) {
      writeJson(results, jsonFile);
    }
    return verdict.holds() ? 0 : 1;
  }

  private void window(Server server, Workload workload, Duration time, Measurement into)
      throws InterruptedException {
    LoadGenerator load =
        new LoadGenerator(
            server.channel(), () -> new RawCall(workload.method(), workload.requests().get()));
    load.start(inFlight);
    load.run(RAMP);
    Duration cpuBefore = server.cpu();
    long startNanos = System.nanoTime();
    Histogram latencies = load.run(time);
    Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
    into.add(latencies, wall, server.cpu().minus(cpuBefore));
    load.stop();
  }

  private static void writeJson(List<Result> results, Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Result result : results) {
      JsonObject line = new JsonObject();
      line.addProperty("call", result.workload().name());
      line.add("measured", json(result.measured()));
      line.add("noop", json(result.noop()));
      line.addProperty("ratio", result.ratio());
      lines.add(line.toString());
    }
    Files.write(file, lines);
  }

  private static JsonObject json(Measurement measurement) {
    JsonObject json = new JsonObject();
    measurement.figures().forEach((name, value) -> json.addProperty(name, (Number) value));
    return json;
  }
}
