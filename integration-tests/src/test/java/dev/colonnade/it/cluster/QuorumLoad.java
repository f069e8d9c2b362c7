package dev.colonnade.it.cluster;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM;

import dev.colonnade.it.LocalNode;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Clients that write and read at QUORUM without pause while something happens to the cluster. Each
 * has rows of its own, and reads each value back: it must be what it wrote last. A client repeats
 * no call that failed, but for one case: a node that is being stopped has said that it applied
 * nothing and that another one should be used ({@code NODE_NOT_READY}). Then it switches to the
 * next node and stays there.
 */
final class QuorumLoad implements AutoCloseable {

  private static final int KEYS = 50;
  private static final int FAILURES_TOLD = 10;
  private static final Duration STEP_LIMIT = Duration.ofSeconds(60);

  /** Few enough calls to leave the processors to the test; it matters only that some are open. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Rows rows;
  private final IntFunction<LocalNode> nodes;
  private final int nodeCount;
  private final List<Client> clients = new ArrayList<>();
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong switches = new AtomicLong();
  private volatile boolean ending;

  private QuorumLoad(Rows rows, IntFunction<LocalNode> nodes, int nodeCount) {
    this.rows = rows;
    this.nodes = nodes;
    this.nodeCount = nodeCount;
  }

  /** Starts a number of clients, spread over the first nodes of a cluster. */
  static QuorumLoad start(Rows rows, TestCluster cluster, int nodeCount, int clientCount) {
    QuorumLoad load = new QuorumLoad(rows, cluster::node, nodeCount);
    for (int i = 0; i < clientCount; i++) {
      load.clients.add(load.new Client(i));
    }
    load.clients.forEach(Thread::start);
    return load;
  }

  /** Returns when each client has made some more calls, or has failed. */
  void goOn() {
    for (Client client : clients) {
      client.await(client.rounds.get() + KEYS / 2);
    }
  }

  /** How often a client switched to another node. */
  long switches() {
    return switches.get();
  }

  /** How many calls there were. */
  long calls() {
    return calls.get();
  }

  /** What failed; empty if nothing did. */
  String failures() {
    List<String> all = new ArrayList<>();
    clients.forEach(client -> all.addAll(client.failures()));
    return all.isEmpty()
        ? ""
        : all.size()
            + " of "
            + calls
            + " calls failed: "
            + String.join("\n", all.subList(0, Math.min(FAILURES_TOLD, all.size())));
  }

  /** Ends the clients, and then reads all that was acknowledged through a node. */
  String lostAt(LocalNode node) {
    close();
    List<String> lost = new ArrayList<>();
    for (Client client : clients) {
      client.acknowledged.forEach(
          (key, value) -> {
            Optional<String> found = rows.read(node, key, CONSISTENCY_LEVEL_QUORUM);
            if (!found.equals(Optional.of(value))) {
              lost.add(key + " is " + found + " instead of " + value);
            }
          });
    }
    return String.join(", ", lost);
  }

  @Override
  public void close() {
    ending = true;
    for (Client client : clients) {
      try {
        client.join(STEP_LIMIT.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private final class Client extends Thread {
    private final Map<String, String> acknowledged = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();
    private final AtomicLong rounds = new AtomicLong();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final int number;
    private int at;

    Client(int number) {
      super("quorum-load-" + number);
      setDaemon(true);
      this.number = number;
      this.at = number % nodeCount;
    }

    @Override
    public void run() {
      try {
        for (long round = 0; !ending; round++) {
          round(round);
          rounds.incrementAndGet();
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      } finally {
        ended.countDown();
      }
    }

    private void round(long round) {
      String key = "client" + number + "-" + round % KEYS;
      String value = Long.toString(round);
      try {
        call(node -> rows.write(node, key, value, CONSISTENCY_LEVEL_QUORUM));
        acknowledged.put(key, value);
        call(
            node -> {
              Optional<String> found = rows.read(node, key, CONSISTENCY_LEVEL_QUORUM);
              if (!found.equals(Optional.of(value))) {
                failed(key + " reads " + found + " after " + value + " was acknowledged");
              }
            });
      } catch (StatusRuntimeException e) {
        failed(key + " at node " + at + ": " + CallFailure.of(e));
        // Its present value is unknown.
        acknowledged.remove(key);
      }
    }

    private void call(java.util.function.Consumer<LocalNode> call) {
      for (int tries = 1; ; tries++) {
        calls.incrementAndGet();
        try {
          call.accept(nodes.apply(at));
          return;
        } catch (StatusRuntimeException e) {
          if (!CallFailure.of(e).reason().equals("NODE_NOT_READY") || tries == nodeCount) {
            throw e;
          }
          at = (at + 1) % nodeCount;
          switches.incrementAndGet();
        }
      }
    }

    private synchronized void failed(String what) {
      failures.add(what);
    }

    private synchronized List<String> failures() {
      return List.copyOf(failures);
    }

    private void await(long wanted) {
      dev.colonnade.it.Await.until(
          () -> rounds.get() >= wanted || ended.getCount() == 0,
          STEP_LIMIT,
          () -> getName() + " hangs after " + rounds + " rounds: " + failures());
    }
  }
}
