package dev.colonnade.it.real;

import dev.colonnade.it.LocalNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks a node's {@code /healthz} and {@code /readyz} ten times a second, like a supervisor that
 * restarts nodes that do not answer. It restarts a node that says that it is not healthy, or from
 * which nothing was heard {@value #SILENCES_MAX} times in a row, as Kubernetes does by default: a
 * single answer may be late because the machine is. Thread-safe.
 */
final class Probes implements AutoCloseable {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** As long as probes commonly wait. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final String NO_ANSWER = "no answer: ";

  /** How many missing answers in a row make a supervisor restart the node. */
  private static final int SILENCES_MAX = 3;

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final LocalNode node;
  private final Thread thread = new Thread(this::run, "probes");
  private final List<String> unhealthy = new CopyOnWriteArrayList<>();
  private volatile String notReady = "nothing was asked yet";
  private volatile long slowestMillis;
  private volatile boolean ending;

  private Probes(LocalNode node) {
    this.node = node;
    thread.setDaemon(true);
  }

  static Probes of(LocalNode node) {
    Probes probes = new Probes(node);
    probes.thread.start();
    return probes;
  }

  /** For what a supervisor would have restarted the node. */
  List<String> unhealthy() {
    return List.copyOf(unhealthy);
  }

  /** Why the node was not ready when it was last asked; empty if it was. */
  String notReady() {
    return notReady;
  }

  /** The longest that an answer took. */
  long slowestMillis() {
    return slowestMillis;
  }

  private void run() {
    int silences = 0;
    while (!ending) {
      String problem = ask("/healthz");
      silences = problem.startsWith(NO_ANSWER) ? silences + 1 : 0;
      boolean givenUp = silences == 0 ? !problem.isEmpty() : silences == SILENCES_MAX;
      if (givenUp && !ending) {
        unhealthy.add(problem);
      }
      notReady = ask("/readyz");
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private String ask(String path) {
    String address = "http://" + node.address() + ":" + node.ports().http() + path;
    HttpRequest request = HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build();
    long from = System.nanoTime();
    try {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? "" : answer.statusCode() + " " + answer.body().strip();
    } catch (IOException e) {
      return NO_ANSWER + e;
    } catch (InterruptedException e) {
      ending = true;
      return "";
    } finally {
      slowestMillis = Math.max(slowestMillis, (System.nanoTime() - from) / 1_000_000);
    }
  }

  @Override
  public void close() {
    ending = true;
    thread.interrupt();
  }
}
