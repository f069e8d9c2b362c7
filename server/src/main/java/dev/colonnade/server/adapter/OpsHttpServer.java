package dev.colonnade.server.adapter;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.colonnade.server.metrics.MetricSet;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators and their tools ask over HTTP: {@code /healthz}, {@code /readyz} and {@code
 * /metrics}, with GET and HEAD. It tells, and changes nothing. Two threads; a third caller waits.
 */
public final class OpsHttpServer implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(OpsHttpServer.class);
  private static final int THREADS = 2;
  private static final int WAITING = 32;
  private static final String TEXT = "text/plain; charset=utf-8";

  private final HttpServer server;
  private final ThreadPoolExecutor threads;
  private final Supplier<Optional<String>> whyUnhealthy;
  private final Supplier<Optional<String>> whyNotReady;
  private final MetricSet metrics;

  private OpsHttpServer(
      HttpServer server,
      ThreadPoolExecutor threads,
      Supplier<Optional<String>> whyUnhealthy,
      Supplier<Optional<String>> whyNotReady,
      MetricSet metrics) {
    this.server = server;
    this.threads = threads;
    this.whyUnhealthy = whyUnhealthy;
    this.whyNotReady = whyNotReady;
    this.metrics = metrics;
  }

  /**
   * Starts to serve.
   *
   * @param address where to listen; port 0 takes a free one
   * @param whyUnhealthy empty while the node works, else the reason; must be quick
   * @param whyNotReady empty while the node takes requests, else the reason; must be quick
   * @throws IOException if the address cannot be bound
   */
  public static OpsHttpServer start(
      InetSocketAddress address,
      Supplier<Optional<String>> whyUnhealthy,
      Supplier<Optional<String>> whyNotReady,
      MetricSet metrics)
      throws IOException {
    HttpServer server = HttpServer.create(address, WAITING);
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            StagePool.threads("colonnade-http"),
            // When the queue is full, the thread that accepts answers itself and so accepts no more
            // meanwhile.
            new ThreadPoolExecutor.CallerRunsPolicy());
    threads.allowCoreThreadTimeOut(true);
    OpsHttpServer ops = new OpsHttpServer(server, threads, whyUnhealthy, whyNotReady, metrics);
    server.setExecutor(threads);
    server.createContext("/", ops::handle);
    server.start();
    return ops;
  }

  /** The address that is listened on, with the port that was taken. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Stops at once. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      if (!method.equals("GET") && !method.equals("HEAD")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        answer(exchange, 405, TEXT, "only GET and HEAD are answered here\n");
        return;
      }
      route(exchange);
    } catch (RuntimeException e) {
      // The JDK's server would drop the connection without a word.
      LOG.error("Answering {} failed", exchange.getRequestURI(), e);
      throw e;
    }
  }

  private void route(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    if ("/healthz".equals(path)) {
      answerState(exchange, whyUnhealthy.get());
    } else if ("/readyz".equals(path)) {
      answerState(exchange, whyNotReady.get());
    } else if ("/metrics".equals(path)) {
      answer(exchange, 200, PrometheusText.CONTENT_TYPE, PrometheusText.render(metrics));
    } else {
      answer(exchange, 404, TEXT, "here are /healthz, /readyz and /metrics\n");
    }
  }

  private static void answerState(HttpExchange exchange, Optional<String> problem)
      throws IOException {
    answer(exchange, problem.isEmpty() ? 200 : 503, TEXT, problem.orElse("ok") + "\n");
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    answer(exchange, status, type, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void answer(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }
}
