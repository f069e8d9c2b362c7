package dev.colonnade.it.ycsb;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.SessionProbe;
import dev.colonnade.it.ChildJvm;
import dev.colonnade.it.Folders;
import dev.colonnade.it.bench.BuildUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command: starts what is measured, loads it, and runs each workload by turns. */
@Command(
    name = "ycsb",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs workloads of YCSB with threads that wait for each call of the client library, on a node"
          + " or on three at QUORUM, and beside them on a server that answers at once and stores"
          + " nothing. The figures that count are the processor time of a call, of the client (this"
          + " process) and of the nodes (all of them together); calls a second depend on what else"
          + " the machine does. Ends with 1 if a call failed.",
      "",
      "Rows have ten fields of 100 bytes. Reads fetch all of them, updates write one."
    })
public final class YcsbCommand implements Callable<Integer> {

  private static final String KEYSPACE = "Ycsb";
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int CLUSTER = 3;

  enum Form {
    TABLE,
    JSON
  }

  /** How calls are made. Each way has its own family, so that each loads its own rows. */
  enum Calls {
    SESSION,
    UNARY,
    BOTH
  }

  enum Family {
    STANDARD,
    SUPER
  }

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--workloads",
      paramLabel = "NAME,...",
      defaultValue = "load,update,c,a,b,f,scan",
      converter = WorkloadsConverter.class,
      description = "Which ones, in this order (default: ${DEFAULT-VALUE}).")
  private Workloads workloads = new Workloads(List.of());

  @Option(
      names = "--calls",
      paramLabel = "WAY",
      defaultValue = "session",
      description = "How: session, unary, or both by turns (default: ${DEFAULT-VALUE}).")
  private Calls calls = Calls.SESSION;

  @Option(
      names = "--family",
      paramLabel = "KIND",
      defaultValue = "standard",
      description =
          "standard, or super: the fields of a row are in one super column"
              + " (default: ${DEFAULT-VALUE}).")
  private Family family = Family.STANDARD;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "1, or 3: three copies of each row, and calls at QUORUM through one of the nodes"
              + " (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "200000",
      description = "How many rows there are (default: ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "64",
      description = "Threads that wait for their calls (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Calls a second of all threads together; one that is late catches up. 0: as many as there"
              + " can be (default: ${DEFAULT-VALUE}). A load is never held back.")
  private int rate;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "Seconds of each workload before measuring (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Seconds of one window (default: ${DEFAULT-VALUE}).")
  private int windowSeconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Windows of each workload, taken by turns; a figure is of all of them together (default:"
              + " ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "1g",
      description = "The heap of each node, as for -Xmx (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(names = "--no-floor", description = "Leave the server out that stores nothing.")
  private boolean withoutFloor;

  @Option(
      names = "--quick",
      description =
          "Does it work at all: 1000 rows, 8 threads, windows of a fifth of a second, no warm-up."
              + " Its figures say nothing.")
  private boolean quick;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "table",
      description = "table, or json, an object per line (default: ${DEFAULT-VALUE}).")
  private Form form = Form.TABLE;

  /** For picocli. */
  YcsbCommand() {}

  /** What {@code --workloads} names. */
  record Workloads(List<YcsbWorkload> list) {}

  /** Refuses what is not a workload, with the list of those that are. */
  static final class WorkloadsConverter implements CommandLine.ITypeConverter<Workloads> {

    @Override
    public Workloads convert(String value) {
      try {
        return new Workloads(YcsbWorkload.parse(value));
      } catch (IllegalArgumentException e) {
        throw new CommandLine.TypeConversionException(e.getMessage());
      }
    }
  }

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new YcsbCommand());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.getCommandSpec()
        .usageMessage()
        .footer(
            Arrays.stream(YcsbWorkload.values())
                .map(each -> String.format("  %-8s %s", each.title(), each.meaning()))
                .map(each -> each.replace("%", "%%"))
                .toArray(String[]::new))
        .footerHeading("%nWorkloads (those of one letter are YCSB's own):%n");
    return line;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (nodes != 1 && nodes != CLUSTER) {
      throw new ParameterException(spec.commandLine(), "--nodes is 1 or " + CLUSTER);
    }
    if (rate < 0) {
      throw new ParameterException(spec.commandLine(), "--rate is 0, or calls a second");
    }
    Path folder = Files.createTempDirectory("colonnade-ycsb");
    Process noop = withoutFloor ? null : startNoop(folder);
    List<Colonnade> clients = new ArrayList<>();
    Path jar = Path.of(System.getProperty("colonnade.jar"));
    try (BuildUnderTest build = BuildUnderTest.start(jar, nodes, heap, folder.resolve("nodes"))) {
      List<YcsbSubject.Way> ways = new ArrayList<>();
      String store = nodes == 1 ? "node" : "cluster";
      for (Calls way : calls == Calls.BOTH ? List.of(Calls.SESSION, Calls.UNARY) : List.of(calls)) {
        Colonnade client = connect(build.address(), way, clients);
        if (ways.isEmpty()) {
          client.schema().create(KeyspaceDefinition.named(KEYSPACE).withReplicationFactor(nodes));
        }
        define(client, way);
        ways.add(way(store, client, way, build.pids()));
        if (noop != null) {
          String port = Files.readString(folder.resolve("noop.out")).split(" ", -1)[1];
          Colonnade other = connect("127.0.0.1:" + port, way, clients);
          ways.add(way("no-op", other, way, List.of(noop.pid())));
        }
      }
      return measure(ways);
    } finally {
      clients.forEach(Colonnade::close);
      if (noop != null) {
        noop.destroyForcibly();
      }
      Folders.delete(folder);
    }
  }

  private static Process startNoop(Path folder) throws IOException {
    return ChildJvm.start(
        ChildJvm.main(List.of("-Xmx256m"), NoopStore.class.getName()),
        folder.resolve("noop.out"),
        "serving",
        START_LIMIT);
  }

  private Colonnade connect(String address, Calls way, List<Colonnade> clients) {
    Consistency level = nodes == 1 ? Consistency.ONE : Consistency.QUORUM;
    Colonnade client =
        Colonnade.connect(
            address,
            ClientOptions.defaults()
                .withSessions(way == Calls.SESSION)
                .withCalls(
                    CallOptions.defaults().withReadConsistency(level).withWriteConsistency(level)));
    clients.add(client);
    if (way == Calls.SESSION) {
      SessionProbe.awaitSession(client);
    }
    return client;
  }

  private void define(Colonnade client, Calls way) {
    String name = familyName(way);
    ColumnFamilyDefinition definition =
        family == Family.STANDARD
            ? ColumnFamilyDefinition.standard(name, Comparators.UTF8)
            : ColumnFamilyDefinition.superFamily(name, Comparators.UTF8, Comparators.UTF8);
    client.schema().create(KEYSPACE, definition);
  }

  private static String familyName(Calls way) {
    return "usertable_" + lower(way);
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private YcsbSubject.Way way(String store, Colonnade client, Calls way, List<Long> pids) {
    return new YcsbSubject.Way(
        store, lower(way), lower(family), records(client, familyName(way), family), pids);
  }

  /** Where rows are: in a Standard family, or in a super column of each row of a Super family. */
  static Columns<String, String, byte[]> records(Colonnade client, String name, Family family) {
    return family == Family.STANDARD
        ? client
            .keyspace(KEYSPACE)
            .columnFamily(name, Serializers.UTF8, Serializers.UTF8, Serializers.BYTES)
        : client
            .keyspace(KEYSPACE)
            .superColumnFamily(
                name, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.BYTES)
            .within("record");
  }

  private int measure(List<YcsbSubject.Way> ways) throws InterruptedException {
    int someRows = quick ? 1_000 : rows;
    int someThreads = quick ? 8 : threads;
    Duration warmup = quick ? Duration.ZERO : Duration.ofSeconds(warmupSeconds);
    Duration window = quick ? Duration.ofMillis(200) : Duration.ofSeconds(windowSeconds);
    List<YcsbSubject> loads = subjects(YcsbWorkload.LOAD, ways, someRows, someThreads);
    for (YcsbSubject subject : loads) {
      System.err.println("Loading " + someRows + " rows ...");
      subject.load(!quick);
    }
    if (form == Form.TABLE) {
      System.out.print(YcsbSubject.header());
    }
    long failures = 0;
    if (workloads.list().contains(YcsbWorkload.LOAD)) {
      failures += report(loads);
    }
    for (YcsbWorkload workload : workloads.list()) {
      if (workload == YcsbWorkload.LOAD) {
        continue;
      }
      System.err.println("Running " + workload.title() + " ...");
      List<YcsbSubject> subjects = subjects(workload, ways, someRows, someThreads);
      for (YcsbSubject subject : subjects) {
        subject.warmUp(warmup);
      }
      for (int round = 0; round < (quick ? 1 : rounds); round++) {
        for (YcsbSubject subject : subjects) {
          subject.window(window);
        }
      }
      failures += report(subjects);
    }
    return failures == 0 ? 0 : 1;
  }

  private List<YcsbSubject> subjects(
      YcsbWorkload workload, List<YcsbSubject.Way> ways, int rows, int threads) {
    return ways.stream().map(way -> new YcsbSubject(workload, way, rows, threads, rate)).toList();
  }

  private long report(List<YcsbSubject> subjects) {
    for (YcsbSubject subject : subjects) {
      System.out.print(form == Form.JSON ? subject.json() + System.lineSeparator() : subject.row());
    }
    return subjects.stream().mapToLong(YcsbSubject::failures).sum();
  }
}
