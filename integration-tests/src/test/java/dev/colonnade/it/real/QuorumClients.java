package dev.colonnade.it.real;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM;

import dev.colonnade.it.LocalNode;
import dev.colonnade.it.cluster.CallFailure;
import dev.colonnade.it.cluster.Rows;
import dev.colonnade.server.history.History;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.RegisterHistory;
import dev.colonnade.server.history.Version;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients that write and read the same rows at QUORUM through all nodes, and note when each call
 * began, when it ended and with what, so that the history can be checked afterwards.
 */
final class QuorumClients implements AutoCloseable {

  private static final int KEYS = 60;
  private static final int CLIENTS_PER_NODE = 2;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
  private static final long END_SECONDS = 60;

  /** The prefix of the name of a failure that the node itself did not report. */
  static final String NO_WORD = "no word: ";

  /** Errors that say that nothing was written; see docs/errors.md. */
  private static final Set<String> NOTHING_WRITTEN =
      Set.of("NOT_ENOUGH_REPLICAS", "NODE_NOT_READY", "OVERLOADED");

  private final Rows rows;
  private final List<LocalNode> nodes;
  private final List<Client> clients = new ArrayList<>();
  private final AtomicLong timestamps = new AtomicLong();
  private final AtomicLongArray answered;
  private final List<Map<String, Long>> failures = new ArrayList<>();

  /** Guarded by itself. */
  private final RegisterHistory history = new RegisterHistory();

  private volatile boolean ending;

  /** Clients of these nodes, which do not write yet. */
  QuorumClients(Rows rows, List<LocalNode> nodes) {
    this.rows = rows;
    this.nodes = nodes;
    this.answered = new AtomicLongArray(nodes.size());
    nodes.forEach(node -> failures.add(new ConcurrentHashMap<>()));
  }

  /** Starts all clients; two stay with each node. */
  void start(Random random) {
    for (int i = 0; i < nodes.size() * CLIENTS_PER_NODE; i++) {
      clients.add(new Client(i % nodes.size(), random.nextLong()));
    }
    clients.forEach(Thread::start);
  }

  /** How many calls a node has answered successfully. */
  long answered(int node) {
    return answered.get(node);
  }

  /** How many calls failed, for whatever reason. */
  long failed() {
    return failures.stream()
        .flatMap(reasons -> reasons.values().stream())
        .mapToLong(Long::longValue)
        .sum();
  }

  /**
   * Why calls through a node failed, and how many did: by the reason that the node gave, or by
   * {@link #NO_WORD} and the client's own error.
   */
  Map<String, Long> failures(int node) {
    return new TreeMap<>(failures.get(node));
  }

  /** How many writes were acknowledged. */
  long acknowledged() {
    synchronized (history) {
      return history.acknowledged();
    }
  }

  /** How many reads were answered. */
  long reads() {
    synchronized (history) {
      return history.answered();
    }
  }

  static List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add("register" + i);
    }
    return keys;
  }

  /** Reads all rows through one node; every call must be answered. */
  void readAll(int node) {
    keys().forEach(key -> read(node, key));
  }

  /** The violations in the history, as text; once no client runs any more. */
  List<String> violations() {
    synchronized (history) {
      return history.violations();
    }
  }

  private void write(int node, String key) {
    long timestamp = timestamps.incrementAndGet();
    String value = Long.toString(timestamp);
    RegisterHistory.Write write;
    synchronized (history) {
      write = history.beginWrite(key, new Version(timestamp, value));
    }
    Outcome outcome = Outcome.UNKNOWN;
    try {
      rows.write(nodes.get(node), key, value, CONSISTENCY_LEVEL_QUORUM, timestamp);
      outcome = Outcome.DONE;
    } catch (StatusRuntimeException e) {
      if (NOTHING_WRITTEN.contains(CallFailure.of(e).reason())) {
        outcome = Outcome.REFUSED;
      }
      throw e;
    } finally {
      synchronized (history) {
        history.endWrite(write, outcome);
      }
    }
  }

  private void read(int node, String key) {
    History.Read read;
    synchronized (history) {
      read = history.beginRead(key);
    }
    Optional<String> found = rows.read(nodes.get(node), key, CONSISTENCY_LEVEL_QUORUM);
    synchronized (history) {
      history.endRead(read, found.map(QuorumClients::version).orElse(null));
    }
  }

  private static @Nullable Version version(String value) {
    return new Version(Long.parseLong(value), value);
  }

  @Override
  public void close() {
    ending = true;
    for (Client client : clients) {
      try {
        client.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (client.isAlive()) {
        throw new AssertionError("a call has no answer after " + END_SECONDS + " s");
      }
    }
  }

  private final class Client extends Thread {
    private final int node;
    private final Random random;

    Client(int node, long seed) {
      super("quorum-client-of-" + node);
      setDaemon(true);
      this.node = node;
      this.random = new Random(seed);
    }

    @Override
    public void run() {
      while (!ending) {
        String key = "register" + random.nextInt(KEYS);
        try {
          if (random.nextBoolean()) {
            write(node, key);
          } else {
            read(node, key);
          }
          answered.incrementAndGet(node);
        } catch (StatusRuntimeException e) {
          CallFailure refusal = CallFailure.of(e);
          failures
              .get(node)
              .merge(
                  refusal.reason().isEmpty() ? NO_WORD + refusal.code() : refusal.reason(),
                  1L,
                  Long::sum);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
