package dev.colonnade.it.cluster;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Serializers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that share one client of the whole cluster, and write and read at QUORUM while something
 * happens to it. They repeat nothing: what fails, the client could not hide. Each reads what it
 * wrote last.
 */
final class FailoverLoad implements AutoCloseable {

  private static final Duration STEP_LIMIT = Duration.ofSeconds(60);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Colonnade client;
  private final ColumnFamily<String, String, String> family;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong calls = new AtomicLong();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Long> tookNanos = new ConcurrentLinkedQueue<>();
  private volatile boolean ending;

  private FailoverLoad(Colonnade client, Rows rows) {
    this.client = client;
    this.family =
        client
            .keyspace(rows.keyspace())
            .with(
                CallOptions.defaults()
                    .withReadConsistency(Consistency.QUORUM)
                    .withWriteConsistency(Consistency.QUORUM))
            .columnFamily(Rows.FAMILY, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** Starts threads with a client whose one contact point is the first node. */
  static FailoverLoad start(Rows rows, TestCluster cluster, int threadCount) {
    FailoverLoad load = new FailoverLoad(client(cluster), rows);
    for (int i = 0; i < threadCount; i++) {
      String key = "failover" + i;
      Thread thread = new Thread(() -> load.run(key), key);
      load.threads.add(thread);
      thread.start();
    }
    return load;
  }

  /** A client whose one contact point is the first node. */
  static Colonnade client(TestCluster cluster) {
    String contact = cluster.node(0).address() + ":" + cluster.node(0).ports().client();
    return Colonnade.connect(List.of(contact), ClientOptions.defaults());
  }

  private void run(String key) {
    for (int number = 0; !ending; number++) {
      String value = Integer.toString(number);
      try {
        timed(() -> family.insert(key, "c", value));
        timed(
            () -> {
              Optional<String> read = family.get(key, "c");
              if (!read.equals(Optional.of(value))) {
                failures.add(key + " was " + read + " after " + value + " was written");
              }
            });
      } catch (RuntimeException e) {
        failures.add(e.toString());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void timed(Runnable call) {
    long begin = System.nanoTime();
    call.run();
    tookNanos.add(System.nanoTime() - begin);
    calls.incrementAndGet();
  }

  /** Returns when this many further calls were answered, or some failed. */
  void goOn(int more) {
    long until = calls.get() + more;
    long limit = System.nanoTime() + STEP_LIMIT.toNanos();
    while (calls.get() < until && failures.isEmpty()) {
      if (System.nanoTime() > limit) {
        failures.add("no " + more + " calls in " + STEP_LIMIT);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** What failed; empty if nothing did. */
  String failures() {
    return String.join("\n", failures);
  }

  /** The longest call since this was last asked. */
  Duration longest() {
    long longest = 0;
    for (Long took = tookNanos.poll(); took != null; took = tookNanos.poll()) {
      longest = Math.max(longest, took);
    }
    return Duration.ofNanos(longest);
  }

  @Override
  public void close() {
    ending = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
