package dev.colonnade.it.history;

import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.CreateUserRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.it.Folders;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.real.RealResult;
import dev.colonnade.search.v1.CreateIndexRequest;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.server.history.History;
import dev.colonnade.server.history.HistoryCheck;
import dev.colonnade.server.history.HistoryFile;
import dev.colonnade.server.history.LinearizableColumns;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.Violation;
import dev.colonnade.server.node.authority.CertificateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs clients on a cluster that breaks, and checks all that they saw. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Three nodes as processes, with TLS and accounts, which are killed, suspended, cut off from"
          + " each other, restarted one by one, and made to take snapshots and merge; and clients"
          + " that write and read rows, sets, documents, rights and the schema in every way that"
          + " there is, and record every call. Then all of it is checked as one history: here, and,"
          + " where Go is installed, by Porcupine.",
      "",
      "What this machine cannot do (partitions take root, ip and nft; clocks apart libfaketime) is"
          + " left out and named. The status is 1 if anything cannot have been.",
      ""
    })
final class HistoryRun implements Callable<Integer> {

  private static final int VIOLATIONS_TOLD = 10;
  private static final long SEARCH_STEPS = 100_000;
  private static final long END_SECONDS = 120;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long ADMINISTRATION_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long clients run (default: ${DEFAULT-VALUE}).")
  private double minutes = 10;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Makes the choices of the run that printed this seed; timing is its own.")
  private long seed = System.nanoTime();

  @Option(names = "--no-faults", description = "Break nothing.")
  private boolean withoutFaults;

  @Option(
      names = "--keep",
      paramLabel = "FILE",
      description = "Where to keep the history (default: kept, and named, only if it is wrong).")
  private @Nullable Path kept;

  @Option(
      names = "--check",
      paramLabel = "FILE",
      description = "Only check a history that was kept.")
  private @Nullable Path checked;

  @Option(
      names = "--results",
      paramLabel = "FILE",
      description =
          "Keep what came of it in this file, as a line of JSON;"
              + " integration-tests/results/real.jsonl is what docs/reliability.md is made from.")
  private @Nullable Path results;

  private final Recorder recorder = new Recorder();
  private final List<Thread> clients = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
  private volatile boolean ending;

  /** For picocli. */
  HistoryRun() {}

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new HistoryRun()).execute(args));
  }

  @Override
  public Integer call() throws IOException, CertificateDirectory.RefusedException {
    if (checked != null) {
      return check(HistoryFile.read(checked), checked) ? 0 : 1;
    }
    System.out.println("seed " + seed);
    List<String> skipped = new ArrayList<>();
    Path folder = Files.createTempDirectory("colonnade-history");
    boolean ended;
    String faults;
    int rounds;
    long begin = System.nanoTime();
    try (BrokenCluster cluster = BrokenCluster.start(folder, skipped)) {
      skipped.forEach(words -> System.out.println("skipped " + words));
      create(cluster.node(0));
      try (Colonnade client = cluster.client(CallOptions.defaults())) {
        start(cluster, client);
        breakAndMend(cluster);
        ended = end();
        cluster.awaitWhole();
        lastReads(cluster, client);
      }
      faults = cluster.done().toString();
      rounds = cluster.done().values().stream().mapToInt(Integer::intValue).sum();
      System.out.println("faults " + faults);
      cluster.notes().stream().distinct().limit(3).forEach(n -> System.out.println("  " + n));
    }
    Folders.delete(folder);
    System.out.println("answered " + recorder.calls());
    System.out.println("failed " + recorder.failures());
    recorder
        .examples()
        .forEach((reason, words) -> System.out.println("  " + reason + ": " + words));
    Path file = kept == null ? Files.createTempFile("colonnade-", ".history") : kept;
    HistoryFile.write(recorder.history(), file);
    boolean right = check(recorder.history(), file) && ended;
    if (results != null) {
      new RealResult(
              "history",
              "three nodes with TLS and accounts, broken under clients of every kind; all answers"
                  + " checked as one history, here and by Porcupine",
              rounds,
              faults + ", " + figures(recorder.history()),
              HistoryCheck.violations(recorder.history()).size(),
              Duration.ofNanos(System.nanoTime() - begin).toSeconds(),
              seed,
              System.getProperty("colonnade.commit", "unknown"))
          .keepIn(results);
    }
    if (kept == null && right) {
      Files.delete(file);
    } else {
      System.out.println("history kept in " + file);
    }
    return right ? 0 : 1;
  }

  private static void create(LocalNode node) {
    create(node, Workloads.KEYSPACE, BrokenCluster.NODES, BatchRows.FAMILY, ElementSets.FAMILY);
    create(node, Workloads.SINGLE, 1, BatchRows.FAMILY);
    create(node, Families.KEYSPACE, BrokenCluster.NODES);
    Object unused =
        SearchServiceGrpc.newBlockingStub(node.channel())
            .createIndex(
                CreateIndexRequest.newBuilder()
                    .setKeyspace(Workloads.KEYSPACE)
                    .setName(Inbox.INDEX)
                    .setAnalyzer("simple")
                    .setIdType("UTF8Type")
                    .build());
    for (String user : Rights.USERS) {
      Object unusedUser =
          AccountServiceGrpc.newBlockingStub(node.channel())
              .createUser(
                  CreateUserRequest.newBuilder()
                      .setName(user)
                      .setPassword(Rights.PASSWORD)
                      .build());
    }
  }

  private static void create(LocalNode node, String keyspace, int factor, String... families) {
    KeyspaceDef.Builder definition =
        KeyspaceDef.newBuilder().setName(keyspace).setReplicationFactor(factor);
    for (String family : families) {
      definition.addColumnFamilies(
          ColumnFamilyDef.newBuilder()
              .setKeyspace(keyspace)
              .setName(family)
              .setCompareWith("UTF8Type"));
    }
    Object unused =
        node.schema()
            .createKeyspace(CreateKeyspaceRequest.newBuilder().setKeyspace(definition).build());
  }

  private void start(BrokenCluster cluster, Colonnade client) {
    Random random = new Random(seed);
    for (int i = 0; i < 2; i++) {
      start(
          "rows at quorum " + i,
          PAUSE_NANOS,
          random,
          () -> new BatchRows(cluster, recorder, client, Workloads.KEYSPACE, true));
      start("sets " + i, PAUSE_NANOS, random, () -> new ElementSets(cluster, recorder));
      start("inbox " + i, PAUSE_NANOS, random, () -> new Inbox(cluster, recorder));
      boolean administers = i == 0;
      long pause = administers ? ADMINISTRATION_PAUSE_NANOS : 10 * PAUSE_NANOS;
      start("rights " + i, pause, random, () -> new Rights(cluster, recorder, administers));
      start("families " + i, pause, random, () -> new Families(cluster, recorder, administers));
      start(
          "rows of one replica " + i,
          PAUSE_NANOS,
          random,
          () -> new BatchRows(cluster, recorder, client, Workloads.SINGLE, false));
    }
    start(
        "rows at one",
        PAUSE_NANOS,
        random,
        () -> new BatchRows(cluster, recorder, client, Workloads.KEYSPACE, false));
  }

  private void start(
      String name, long pauseNanos, Random random, Supplier<Workloads.Client> workload) {
    Random own = new Random(random.nextLong());
    Thread thread =
        new Thread(
            () -> {
              try (Workloads.Client steps = workload.get()) {
                while (!ending) {
                  steps.step(own);
                  LockSupport.parkNanos(pauseNanos);
                }
              } catch (RuntimeException | Error e) {
                broken.compareAndSet(null, e);
              }
            },
            name);
    thread.setDaemon(true);
    clients.add(thread);
    thread.start();
  }

  private void breakAndMend(BrokenCluster cluster) throws IOException {
    Random random = new Random(seed ^ 1);
    long until = System.nanoTime() + (long) (minutes * TimeUnit.MINUTES.toNanos(1));
    while (System.nanoTime() - until < 0 && broken.get() == null) {
      if (withoutFaults) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      } else {
        cluster.round(random, recorder);
      }
    }
  }

  /** Ends all clients; false if one broke or has no answer. */
  private boolean end() {
    ending = true;
    boolean well = true;
    for (Thread client : clients) {
      try {
        client.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (client.isAlive()) {
        System.out.println("no answer within " + END_SECONDS + " s: " + client.getName());
        well = false;
      }
    }
    Throwable failure = broken.get();
    if (failure != null) {
      System.out.println("a client broke: " + failure);
      failure.printStackTrace(System.out);
    }
    return well && failure == null;
  }

  private void lastReads(BrokenCluster cluster, Colonnade client) {
    for (int i = 0; i < BrokenCluster.NODES; i++) {
      for (String keyspace : Workloads.KEYSPACES) {
        new BatchRows(cluster, recorder, client, keyspace, true).readAll(cluster.node(i));
      }
    }
  }

  private static String figures(History history) {
    return history.count(Outcome.DONE)
        + " changes acknowledged, "
        + history.count(Outcome.REFUSED)
        + " refused, "
        + history.count(Outcome.UNKNOWN)
        + " of unknown fate or at ONE, "
        + history.answered()
        + " reads";
  }

  private static boolean check(History history, Path file) throws IOException {
    System.out.println(figures(history));
    long begin = System.nanoTime();
    List<Violation> violations = HistoryCheck.violations(history);
    Map<Violation.Kind, Integer> kinds = new TreeMap<>();
    violations.forEach(one -> kinds.merge(one.kind(), 1, Integer::sum));
    System.out.println(
        "checked in "
            + Duration.ofNanos(System.nanoTime() - begin).toMillis()
            + " ms: "
            + (violations.isEmpty() ? "no violation" : kinds));
    violations.stream().limit(VIOLATIONS_TOLD).forEach(one -> System.out.println("  " + one));
    LinearizableColumns.Found found = LinearizableColumns.of(history, SEARCH_STEPS);
    System.out.println(
        "searched for orders: "
            + found.checked()
            + " columns have one, "
            + found.violations().size()
            + " none, "
            + found.undecided()
            + " undecided");
    found.violations().stream().limit(VIOLATIONS_TOLD).forEach(w -> System.out.println("  " + w));
    Porcupine.Found porcupine = Porcupine.check(file);
    System.out.println("porcupine: " + porcupine.words());
    return violations.isEmpty() && found.violations().isEmpty() && porcupine.isRight();
  }
}
