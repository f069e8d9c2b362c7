package dev.colonnade.it.ycsb;

import com.google.gson.JsonObject;
import dev.colonnade.cli.local.bench.CpuTime;
import dev.colonnade.cli.local.bench.Measurement;
import dev.colonnade.client.Columns;
import dev.colonnade.it.bench.SettledProcesses;
import dev.colonnade.it.ycsb.ColonnadeDb.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * One workload on one store in one way, measured by turns with others. Its threads wait for each of
 * their calls. For one thread.
 */
final class YcsbSubject {

  /** Connections and queues fill before a window begins. */
  private static final Duration RAMP = Duration.ofMillis(200);

  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final double NANOS_PER_MICRO = 1_000;
  private static final double NANOS_PER_MILLI = 1_000_000;

  /**
   * What is called, and how.
   *
   * @param store {@code node}, {@code cluster} or {@code no-op}
   * @param calls {@code session} or {@code unary}
   * @param family {@code standard} or {@code super}
   * @param records where the rows are
   * @param servers the processes whose processor time counts
   */
  record Way(
      String store,
      String calls,
      String family,
      Columns<String, String, byte[]> records,
      List<Long> servers) {

    Way {
      servers = List.copyOf(servers);
    }

    String title() {
      return store + ", " + calls + ", " + family;
    }
  }

  private final YcsbWorkload workload;
  private final Way way;
  private final int rows;
  private final int threads;
  private final int rate;
  private final Properties properties;
  private final CoreWorkload core;

  private final Measurement measured = new Measurement();
  private final Map<Operation, Histogram> byOperation = new EnumMap<>(Operation.class);
  private long clientNanos;
  private long failures;
  private @Nullable String firstFailure;

  private volatile boolean measuring;
  private volatile boolean stopped;

  /**
   * A subject that has not been measured.
   *
   * @param rate calls a second of all threads together, except while it loads; 0 for no limit
   */
  YcsbSubject(YcsbWorkload workload, Way way, int rows, int threads, int rate) {
    this.workload = workload;
    this.way = way;
    this.rows = rows;
    this.threads = threads;
    this.rate = rate;
    this.properties = workload.properties(rows);
    // YCSB asks for these when a workload is made, and keeps what it measures itself in them.
    Measurements.setProperties(properties);
    this.core = new CoreWorkload();
    try {
      core.init(properties);
    } catch (WorkloadException e) {
      throw new IllegalStateException("YCSB does not take its own workload " + workload, e);
    }
  }

  /** How many calls failed, or did not find their row. */
  long failures() {
    return failures;
  }

  /** Inserts all rows, and measures that. */
  void load(boolean untilSettled) throws InterruptedException {
    measuring = true;
    Duration serversBefore = CpuTime.of(way.servers());
    Duration clientBefore = CpuTime.ofThisProcess();
    long start = System.nanoTime();
    List<ColonnadeDb> dbs =
        join(
            begin(
                (db, thread, state) -> {
                  int share = rows / threads + (thread < rows % threads ? 1 : 0);
                  for (int i = 0; i < share && !stopped; i++) {
                    boolean unused = core.doInsert(db, state);
                  }
                }));
    Duration wall = Duration.ofNanos(System.nanoTime() - start);
    Duration client = CpuTime.ofThisProcess().minus(clientBefore);
    if (untilSettled) {
      SettledProcesses.await(way.servers());
    }
    add(dbs, wall, client, CpuTime.of(way.servers()).minus(serversBefore));
  }

  /** Runs for a while and discards the results. */
  void warmUp(Duration time) throws InterruptedException {
    Running running = begin(this::transactions);
    Thread.sleep(time.toMillis());
    stopped = true;
    note(join(running));
  }

  /** Measures one window. */
  void window(Duration time) throws InterruptedException {
    Running running = begin(this::transactions);
    Thread.sleep(RAMP.toMillis());
    Duration serversBefore = CpuTime.of(way.servers());
    Duration clientBefore = CpuTime.ofThisProcess();
    long start = System.nanoTime();
    measuring = true;
    Thread.sleep(time.toMillis());
    measuring = false;
    Duration wall = Duration.ofNanos(System.nanoTime() - start);
    Duration servers = CpuTime.of(way.servers()).minus(serversBefore);
    Duration client = CpuTime.ofThisProcess().minus(clientBefore);
    stopped = true;
    add(join(running), wall, client, servers);
  }

  private void transactions(ColonnadeDb db, int thread, @Nullable Object state) {
    long period = rate == 0 ? 0 : NANOS_PER_SECOND / rate;
    long next = System.nanoTime() + thread * period;
    while (!stopped) {
      long early = next - System.nanoTime();
      if (rate > 0 && early > 0) {
        LockSupport.parkNanos(early);
        continue;
      }
      boolean unused = core.doTransaction(db, state);
      next += threads * period;
    }
  }

  /** What a thread does until it is told to stop. */
  private interface Body {
    void run(ColonnadeDb db, int thread, @Nullable Object state) throws WorkloadException;
  }

  /** Threads that call, and why one of them gave up. */
  private record Running(
      List<Thread> threads, List<ColonnadeDb> dbs, AtomicReference<@Nullable Throwable> broken) {}

  private Running begin(Body body) {
    stopped = false;
    Running running =
        new Running(new ArrayList<>(), new ArrayList<>(), new AtomicReference<>(null));
    for (int i = 0; i < threads; i++) {
      int thread = i;
      ColonnadeDb db = new ColonnadeDb(way.records(), () -> measuring);
      running.dbs().add(db);
      running
          .threads()
          .add(
              new Thread(
                  () -> {
                    try {
                      body.run(db, thread, core.initThread(properties, thread, threads));
                    } catch (WorkloadException | RuntimeException e) {
                      running.broken().compareAndSet(null, e);
                      stopped = true;
                    }
                  },
                  "ycsb-" + i));
    }
    running.threads().forEach(Thread::start);
    return running;
  }

  private List<ColonnadeDb> join(Running running) throws InterruptedException {
    for (Thread thread : running.threads()) {
      thread.join();
    }
    measuring = false;
    Throwable broken = running.broken().get();
    if (broken != null) {
      throw new IllegalStateException(
          "workload " + workload.title() + " on " + way.title() + " broke", broken);
    }
    return running.dbs();
  }

  private void add(List<ColonnadeDb> dbs, Duration wall, Duration client, Duration servers) {
    Histogram all = new Histogram(3);
    for (ColonnadeDb db : dbs) {
      db.latencies()
          .forEach(
              (operation, latencies) -> {
                all.add(latencies);
                byOperation.computeIfAbsent(operation, kind -> new Histogram(3)).add(latencies);
              });
    }
    measured.add(all, wall, servers);
    clientNanos += client.toNanos();
    note(dbs);
  }

  private void note(List<ColonnadeDb> dbs) {
    for (ColonnadeDb db : dbs) {
      failures += db.failures();
      firstFailure = firstFailure == null ? db.firstFailure() : firstFailure;
    }
  }

  private double clientMicrosPerCall() {
    return clientNanos / NANOS_PER_MICRO / Math.max(1, measured.calls());
  }

  static String header() {
    return String.format(
        Locale.ROOT,
        "%n%-8s %-24s %9s %14s %12s %8s %8s %8s %7s%n",
        "workload",
        "store, calls, family",
        "calls/s",
        "client CPU us",
        "node CPU us",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "failed");
  }

  /** A row of the table; in f a read that is followed by an update counts as two calls. */
  String row() {
    String row =
        String.format(
            Locale.ROOT,
            "%-8s %-24s %9.0f %14.1f %12.1f %8.2f %8.2f %8.2f %7d%n",
            workload.title(),
            way.title(),
            measured.callsPerSecond(),
            clientMicrosPerCall(),
            measured.cpuMicrosPerCall(),
            measured.millisAt(Measurement.MEDIAN),
            measured.millisAt(Measurement.NEAR_TAIL),
            measured.millisAt(Measurement.TAIL),
            failures);
    return firstFailure == null
        ? row
        : row + "         the first that failed: " + firstFailure + System.lineSeparator();
  }

  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("workload", workload.title());
    json.addProperty("store", way.store());
    json.addProperty("callsVia", way.calls());
    json.addProperty("family", way.family());
    measured.figures().forEach((name, value) -> json.addProperty(name, (Number) value));
    json.addProperty("clientCpuMicrosPerCall", clientMicrosPerCall());
    json.addProperty("failures", failures);
    JsonObject operations = new JsonObject();
    byOperation.forEach(
        (operation, latencies) -> operations.add(operation.name(), operation(latencies)));
    json.add("operations", operations);
    JsonObject line = new JsonObject();
    line.add("ycsb_workload", json);
    return line;
  }

  private static JsonObject operation(Histogram latencies) {
    JsonObject json = new JsonObject();
    json.addProperty("calls", latencies.getTotalCount());
    json.addProperty("p50Millis", millis(latencies, Measurement.MEDIAN));
    json.addProperty("p95Millis", millis(latencies, Measurement.NEAR_TAIL));
    json.addProperty("p99Millis", millis(latencies, Measurement.TAIL));
    return json;
  }

  private static double millis(Histogram latencies, double percentile) {
    return latencies.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
  }
}
