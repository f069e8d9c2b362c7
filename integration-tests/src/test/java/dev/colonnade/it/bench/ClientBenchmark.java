package dev.colonnade.it.bench;

import dev.colonnade.cli.local.bench.CpuTime;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Grant;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.PasswordSource;
import dev.colonnade.client.Permission;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.Tls;
import dev.colonnade.it.Folders;
import dev.colonnade.it.LocalNode;
import dev.colonnade.server.node.authority.CertificateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that measures threads which wait for each call of the client library. */
@Command(
    name = "client",
    mixinStandardHelpOptions = true,
    description =
        "Measures what a call costs threads that wait for it, with the client library in this"
            + " process and a node in another, as unary calls and on a session, by turns. Takes two"
            + " minutes. With --tls: on sessions, with a node in plain text and with one that"
            + " encrypts, by turns. With --accounts: with a node that serves everyone and with one"
            + " that checks each call.")
final class ClientBenchmark implements Callable<Integer> {

  private static final int COLUMNS = 10;
  private static final int VALUE_BYTES = 100;
  private static final String PASSWORD = "known to this benchmark";
  private static final Duration VALIDITY = Duration.ofDays(1);
  private static final double NANOS_PER_MICRO = 1_000;
  private static final double NANOS_PER_MILLI = 1_000_000;
  private static final double NANOS_PER_SECOND = 1_000_000_000;

  @Option(
      names = "--threads",
      defaultValue = "64",
      description = "Threads that wait for their calls (default ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--rows",
      defaultValue = "20000",
      description = "Rows of ten columns of 100 bytes (default ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--warmup",
      defaultValue = "10",
      description = "Seconds of each call before measuring (default ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      description = "Seconds of one window (default ${DEFAULT-VALUE}).")
  private int windowSeconds;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Windows of each call, taken by turns (default ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--heap",
      defaultValue = "1g",
      description = "Heap of the node (default ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(
      names = "--tls",
      description = "Compare plain text with TLS 1.3 instead of unary calls with sessions.")
  private boolean encrypted;

  @Option(
      names = "--accounts",
      description =
          "Compare a node without authentication with one that authenticates callers by password"
              + " and checks each call, as unary calls of a user with permissions by role.")
  private boolean accounts;

  /** One call in one of the two ways, with the node that it goes to, and its windows. */
  private record Way(
      String name,
      LocalNode node,
      ColumnFamily<String, String, byte[]> family,
      Consumer<ColumnFamily<String, String, byte[]>> call,
      List<Window> windows) {}

  /**
   * What a window showed.
   *
   * @param clientMicros processor time of this process, for each call
   * @param nodeMicros processor time of the node, for each call
   */
  private record Window(
      double perSecond, double clientMicros, double nodeMicros, double p50, double p99) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("colonnade-client-bench");
    ClientOptions options = ClientOptions.defaults();
    try {
      if (encrypted) {
        Path own = certificates(folder.resolve("certs"));
        ClientOptions trusting =
            options.withTls(Tls.system().withTrusted(own.resolve("clients-ca.pem")));
        try (LocalNode plain = LocalNode.process(settings(folder.resolve("plain")));
            LocalNode secret =
                LocalNode.process(
                    settings(folder.resolve("secret"))
                        .withPeers(
                            new LocalNode.Peers(0, List.of(), List.of("--tls", own.toString()))));
            Colonnade open = connect(plain, options);
            Colonnade closed = connect(secret, trusting)) {
          load(open);
          load(closed);
          measure(
              List.of(
                  way("update, plain text", plain, open, this::update),
                  way("update, TLS", secret, closed, this::update),
                  way("hot read, plain text", plain, open, this::read),
                  way("hot read, TLS", secret, closed, this::read)));
        }
      } else if (accounts) {
        compareWithAccounts(folder);
      } else {
        try (LocalNode node = LocalNode.process(settings(folder.resolve("data")));
            Colonnade unary = connect(node, options.withSessions(false));
            Colonnade session = connect(node, options)) {
          load(session);
          measure(
              List.of(
                  way("update, unary", node, unary, this::update),
                  way("update, session", node, session, this::update),
                  way("hot read, unary", node, unary, this::read),
                  way("hot read, session", node, session, this::read)));
        }
      }
    } finally {
      Folders.delete(folder);
    }
    return 0;
  }

  private static Path passwordFile(Path folder) throws IOException {
    Path file =
        Files.createFile(
            folder.resolve("admin.password"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, PASSWORD);
  }

  private void compareWithAccounts(Path folder) throws IOException, InterruptedException {
    Path file = passwordFile(folder);
    List<String> asking =
        List.of("--authentication", "password", "--admin-password-file", file.toString());
    ClientOptions unary = ClientOptions.defaults().withSessions(false);
    try (LocalNode plain = LocalNode.process(settings(folder.resolve("plain")));
        LocalNode checking =
            LocalNode.process(
                settings(folder.resolve("checking"))
                    .withPeers(new LocalNode.Peers(0, List.of(), asking)));
        Colonnade open = connect(plain, unary);
        Colonnade admin = connect(checking, unary.withUser("admin", PasswordSource.file(file)));
        Colonnade user =
            connect(checking, unary.withUser("alice", PasswordSource.fixed(PASSWORD)))) {
      load(open);
      load(admin);
      List<String> missing = new ArrayList<>(admin.accounts().createUser("alice", PASSWORD));
      missing.addAll(admin.accounts().createRole("writers"));
      for (Permission permission : List.of(Permission.READ, Permission.WRITE)) {
        missing.addAll(admin.accounts().grant("writers", Grant.onKeyspace(permission, "Bench")));
      }
      missing.addAll(admin.accounts().grantRole("alice", "writers"));
      if (!missing.isEmpty()) {
        throw new IllegalStateException("the accounts are not known to " + missing);
      }
      measure(
          List.of(
              way("update, everyone", plain, open, this::update),
              way("update, checked", checking, user, this::update),
              way("hot read, everyone", plain, open, this::read),
              way("hot read, checked", checking, user, this::read)));
    }
  }

  private LocalNode.Settings settings(Path data) {
    return LocalNode.Settings.in(data).withJvmArguments("-Xms" + heap, "-Xmx" + heap);
  }

  /** An authority and a node's certificate of it; returns the node's directory. */
  private static Path certificates(Path folder) throws IOException {
    CertificateDirectory made = new CertificateDirectory(folder, Instant.now());
    try {
      made.createAuthorities("Test Cluster", VALIDITY);
      made.createNode("node", List.of("127.0.0.1"), Optional.empty(), VALIDITY);
    } catch (CertificateDirectory.RefusedException e) {
      throw new IOException("no certificates could be made", e);
    }
    return folder.resolve("node");
  }

  private void measure(List<Way> ways) throws InterruptedException {
    for (Way way : ways) {
      run(way, Duration.ofSeconds(warmupSeconds));
    }
    for (int round = 0; round < rounds; round++) {
      for (Way way : ways) {
        way.windows().add(run(way, Duration.ofSeconds(windowSeconds)));
      }
    }
    System.out.print(table(ways));
  }

  private static Colonnade connect(LocalNode node, ClientOptions options) {
    return Colonnade.connect(node.address() + ":" + node.ports().client(), options);
  }

  private static ColumnFamily<String, String, byte[]> family(Colonnade client) {
    return client
        .keyspace("Bench")
        .columnFamily("Rows", Serializers.UTF8, Serializers.UTF8, Serializers.BYTES);
  }

  private static Way way(
      String name,
      LocalNode node,
      Colonnade client,
      Consumer<ColumnFamily<String, String, byte[]>> call) {
    return new Way(name, node, family(client), call, new ArrayList<>());
  }

  private void load(Colonnade client) {
    client
        .schema()
        .create(
            KeyspaceDefinition.named("Bench")
                .with(ColumnFamilyDefinition.standard("Rows", Comparators.UTF8)));
    ColumnFamily<String, String, byte[]> family = family(client);
    for (int row = 0; row < rows; row++) {
      List<Column<String, byte[]>> columns = new ArrayList<>();
      for (int column = 0; column < COLUMNS; column++) {
        columns.add(Column.of("field" + column, value()));
      }
      family.insertAll("user" + row, columns);
    }
  }

  private void update(ColumnFamily<String, String, byte[]> family) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    family.insert("user" + random.nextInt(rows), "field" + random.nextInt(COLUMNS), value());
  }

  private void read(ColumnFamily<String, String, byte[]> family) {
    int found =
        family.slice("user" + ThreadLocalRandom.current().nextInt(rows), Slice.all()).size();
    if (found != COLUMNS) {
      throw new IllegalStateException("a row has " + found + " columns");
    }
  }

  private static byte[] value() {
    byte[] value = new byte[VALUE_BYTES];
    ThreadLocalRandom.current().nextBytes(value);
    return value;
  }

  private Window run(Way way, Duration time) throws InterruptedException {
    AtomicBoolean stopped = new AtomicBoolean();
    LongAdder calls = new LongAdder();
    Histogram latencies = new ConcurrentHistogram(3);
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread caller =
          new Thread(
              () -> {
                while (!stopped.get()) {
                  long start = System.nanoTime();
                  way.call().accept(way.family());
                  latencies.recordValue(System.nanoTime() - start);
                  calls.increment();
                }
              });
      callers.add(caller);
    }
    callers.forEach(Thread::start);
    long startNanos = System.nanoTime();
    long callsBefore = calls.sum();
    Duration clientBefore = CpuTime.ofThisProcess();
    Duration nodeBefore = way.node().cpuTime();
    Thread.sleep(time.toMillis());
    double made = calls.sum() - callsBefore;
    Window window =
        new Window(
            made * NANOS_PER_SECOND / (System.nanoTime() - startNanos),
            CpuTime.ofThisProcess().minus(clientBefore).toNanos() / NANOS_PER_MICRO / made,
            way.node().cpuTime().minus(nodeBefore).toNanos() / NANOS_PER_MICRO / made,
            latencies.getValueAtPercentile(50) / NANOS_PER_MILLI,
            latencies.getValueAtPercentile(99) / NANOS_PER_MILLI);
    stopped.set(true);
    for (Thread caller : callers) {
      caller.join();
    }
    return window;
  }

  /** The median of each figure over the windows of a call. */
  private static String table(List<Way> ways) {
    StringBuilder table = new StringBuilder();
    table.append(
        String.format(
            Locale.ROOT,
            "%n%-20s %9s %14s %12s %8s %8s%n",
            "call",
            "calls/s",
            "client CPU us",
            "node CPU us",
            "p50 ms",
            "p99 ms"));
    for (Way way : ways) {
      List<Window> sorted =
          way.windows().stream().sorted(Comparator.comparingDouble(Window::perSecond)).toList();
      Window median = sorted.get(sorted.size() / 2);
      table.append(
          String.format(
              Locale.ROOT,
              "%-20s %9.0f %14.1f %12.1f %8.2f %8.2f%n",
              way.name(),
              median.perSecond(),
              median.clientMicros(),
              median.nodeMicros(),
              median.p50(),
              median.p99()));
    }
    return table.toString();
  }
}
