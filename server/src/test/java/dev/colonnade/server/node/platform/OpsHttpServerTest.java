package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.metrics.Histograms;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OpsHttpServerTest {
  private final PrometheusRegistry metrics = new PrometheusRegistry();
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile OpsHttpServer.Readiness readiness =
      new OpsHttpServer.Readiness(false, Optional.of("replaying the commit log"));
  private OpsHttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = start(0);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void readyFollowsTheNode() throws Exception {
    assertEquals(200, get("/healthz").statusCode());
    assertEquals(503, get("/readyz").statusCode());
    assertEquals("replaying the commit log\n", get("/readyz").body());
    readiness = new OpsHttpServer.Readiness(true, Optional.empty());
    assertEquals(200, get("/readyz").statusCode());
    assertEquals("ok\n", get("/readyz").body());
    readiness = new OpsHttpServer.Readiness(true, Optional.of("K.F: one damaged data file"));
    assertEquals(200, get("/readyz").statusCode());
    assertEquals("ok, but K.F: one damaged data file\n", get("/readyz").body());
  }

  @Test
  void metricsAreInThePrometheusTextFormat() throws Exception {
    Counter.builder()
        .name("reads_total")
        .help("Reads answered.")
        .labelNames("family")
        .register(metrics)
        .labelValues("po\"sts")
        .inc(3);
    GaugeWithCallback.builder()
        .name("memtable_bytes")
        .help("Bytes in memory.")
        .callback(series -> series.call(12.5))
        .register(metrics);
    Histogram times = Histograms.ofDurations("read_seconds", "Time of reads.");
    metrics.register(times);
    times.observe(Histograms.seconds(1_500_000_000L));
    HttpResponse<String> response = get("/metrics");
    assertEquals(200, response.statusCode());
    assertTrue(response.headers().firstValue("Content-Type").orElse("").startsWith("text/plain"));
    String body = response.body();
    assertTrue(body.contains("# HELP reads_total Reads answered.\n"), body);
    assertTrue(body.contains("# TYPE reads_total counter\n"), body);
    assertTrue(body.contains("reads_total{family=\"po\\\"sts\"} 3.0\n"), body);
    assertTrue(body.contains("memtable_bytes 12.5\n"), body);
    assertTrue(body.contains("read_seconds_bucket{le=\"1.0\"} 0\n"), body);
    assertTrue(body.contains("read_seconds_bucket{le=\"2.5\"} 1\n"), body);
    assertTrue(body.contains("read_seconds_count 1\n"), body);
    assertTrue(body.contains("read_seconds_sum 1.5\n"), body);
  }

  @Test
  void metricsAreInOpenMetricsForThoseWhoAcceptIt() throws Exception {
    Counter.builder().name("reads_total").help("Reads answered.").register(metrics).inc();
    HttpResponse<String> response =
        client.send(
            request("/metrics")
                .header("Accept", "application/openmetrics-text; version=1.0.0,text/plain;q=0.5")
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertTrue(
        response
            .headers()
            .firstValue("Content-Type")
            .orElse("")
            .startsWith("application/openmetrics-text; version=1.0.0"));
    assertTrue(response.body().contains("# TYPE reads counter\n"), response.body());
    assertTrue(response.body().endsWith("# EOF\n"), response.body());
  }

  @Test
  void pagesForMonitorsAreRefusedToOthersAndProbesAreNot() throws Exception {
    PageAccess access =
        request ->
            CompletableFuture.completedFuture(
                request.authorization().equals("Bearer good")
                    ? Optional.empty()
                    : Optional.of(
                        new OpsPage.PageAnswer(
                            401,
                            OpsPage.TEXT,
                            new byte[0],
                            Map.of("WWW-Authenticate", "Bearer realm=\"colonnade\""))));
    server.close();
    server =
        OpsHttpServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional::empty,
            () -> readiness,
            metrics,
            List.of(),
            access,
            Optional.empty());
    assertEquals(200, get("/healthz").statusCode());
    HttpResponse<String> refused = get("/metrics");
    assertEquals(401, refused.statusCode());
    assertEquals(
        "Bearer realm=\"colonnade\"", refused.headers().firstValue("WWW-Authenticate").orElse(""));
    HttpResponse<String> told =
        client.send(
            request("/metrics").header("Authorization", "Bearer good").build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(200, told.statusCode());
  }

  @Test
  void anythingElseIsRefused() throws Exception {
    assertEquals(404, get("/").statusCode());
    assertEquals(404, get("/metrics/").statusCode());
    assertEquals(404, get("/healthz/../x").statusCode());
    HttpResponse<String> post =
        client.send(
            request("/healthz").POST(HttpRequest.BodyPublishers.ofString("x")).build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(405, post.statusCode());
    assertEquals("GET, HEAD", post.headers().firstValue("Allow").orElse(""));
  }

  @Test
  void headHasNoBody() throws Exception {
    HttpResponse<String> head =
        client.send(
            request("/healthz").method("HEAD", HttpRequest.BodyPublishers.noBody()).build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(200, head.statusCode());
    assertEquals("", head.body());
  }

  @Test
  void aTakenPortIsReported() {
    assertThrows(BindException.class, () -> start(server.address().getPort()));
  }

  @Test
  void halfSentRequestsDoNotKeepOthersOut() throws Exception {
    OpsHttpServer.HttpLimits few = new OpsHttpServer.HttpLimits(4, Duration.ofMinutes(1), 1, 1_000);
    try (OpsHttpServer small = start(few, quick("/", OpsHttpServerTest::ok))) {
      List<Socket> held = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        Socket socket = connect(small);
        held.add(socket);
        say(socket, "GET / HTTP/1.1\r\nHo");
      }
      try (Socket prober = connect(small)) {
        say(prober, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals("HTTP/1.1 200 OK", firstLine(prober));
      }
      assertTrue(small.connections() <= 4, "open: " + small.connections());
      assertTrue(small.connectionsRefused() >= 36, "refused: " + small.connectionsRefused());
      for (Socket socket : held) {
        socket.close();
      }
    }
  }

  @Test
  void aRequestThatDoesNotComeEndsItsConnection() throws Exception {
    OpsHttpServer.HttpLimits hasty =
        new OpsHttpServer.HttpLimits(4, Duration.ofMillis(100), 1, 1_000);
    try (OpsHttpServer small = start(hasty, quick("/", OpsHttpServerTest::ok))) {
      try (Socket silent = connect(small);
          Socket half = connect(small)) {
        say(half, "GET / HTTP/1.1\r\nHo");
        assertEquals("", firstLine(silent));
        assertEquals("", firstLine(half));
      }
    }
  }

  @Test
  void aPageThatHangsDoesNotHoldHealth() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    OpsPage slow =
        new OpsPage(
            "/slow",
            OpsPage.Cost.SLOW,
            OpsPage.Audience.MONITORS,
            request -> {
              asked.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return ok();
            });
    OpsHttpServer.HttpLimits limits =
        new OpsHttpServer.HttpLimits(64, Duration.ofMinutes(1), 1, 1_000);
    try (OpsHttpServer small = start(limits, slow, quick("/", OpsHttpServerTest::ok));
        Socket first = connect(small);
        Socket second = connect(small);
        Socket third = connect(small);
        Socket prober = connect(small)) {
      say(first, "GET /slow HTTP/1.1\r\n\r\n");
      asked.await();
      say(second, "GET /slow HTTP/1.1\r\n\r\n");
      say(prober, "GET / HTTP/1.1\r\n\r\n");
      assertEquals("HTTP/1.1 200 OK", firstLine(prober));
      // The second waits for the thread; no other may, so that the queue is bounded.
      say(third, "GET /slow HTTP/1.1\r\n\r\n");
      assertEquals("HTTP/1.1 503 Service Unavailable", firstLine(third));
      goOn.countDown();
      assertEquals("HTTP/1.1 200 OK", firstLine(first));
      assertEquals("HTTP/1.1 200 OK", firstLine(second));
    }
  }

  @Test
  void aPageThatThrowsIsAnswered() throws Exception {
    OpsPage broken =
        quick(
            "/broken",
            () -> {
              throw new NoClassDefFoundError("planted");
            });
    try (OpsHttpServer small = start(OpsHttpServer.HttpLimits.DEFAULT, broken);
        Socket prober = connect(small)) {
      say(prober, "GET /broken HTTP/1.1\r\n\r\n");
      assertEquals("HTTP/1.1 500 Internal Server Error", firstLine(prober));
    }
  }

  @Test
  void oneConnectionTakesRequestAfterRequest() throws Exception {
    try (Socket prober = connect(server)) {
      BufferedReader answers = reader(prober);
      for (int i = 0; i < 3; i++) {
        say(prober, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals("HTTP/1.1 200 OK", answers.readLine());
        String line = answers.readLine();
        while (!line.isEmpty()) {
          line = answers.readLine();
        }
        assertEquals("ok", answers.readLine());
      }
    }
  }

  /** A prober that keeps its connection must not wait for an answer until the process ends. */
  @Test
  void idleConnectionsEndWithTheServer() throws Exception {
    for (int i = 0; i < 10; i++) {
      OpsHttpServer other = start(0);
      try (Socket socket =
          new Socket(InetAddress.getLoopbackAddress(), other.address().getPort())) {
        socket.setSoTimeout(10_000);
        say(socket, "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
        assertEquals('H', socket.getInputStream().read());
        other.close();
        assertEquals("TTP/1.1 200 OK", firstLineThenEnd(socket));
      }
    }
  }

  /** The first line; fails if the other end does not close the connection. */
  private static String firstLineThenEnd(Socket socket) throws IOException {
    String rest = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    return rest.substring(0, rest.indexOf('\r'));
  }

  @Test
  void aLongRequestIsRefused() throws Exception {
    try (Socket prober = connect(server)) {
      say(prober, "GET /healthz HTTP/1.1\r\nX: " + "x".repeat(100_000) + "\r\n\r\n");
      assertEquals("HTTP/1.1 400 Bad Request", firstLine(prober));
    }
  }

  @Test
  void probesHaveDescriptorsWhenClientsHaveNone() throws Exception {
    FileDescriptors nearlyNone = new FileDescriptors(64, () -> 60, () -> 0);
    assertEquals(16, nearlyNone.reserve());
    assertFalse(nearlyNone.take(nearlyNone.reserve(), 0));
    try (OpsHttpServer small =
            OpsHttpServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                List.of(quick("/", OpsHttpServerTest::ok)),
                PageAccess.OPEN,
                OpsHttpServer.HttpLimits.DEFAULT,
                nearlyNone,
                Optional.empty());
        Socket prober = connect(small)) {
      say(prober, "GET / HTTP/1.1\r\n\r\n");
      assertEquals("HTTP/1.1 200 OK", firstLine(prober));
    }
  }

  private static OpsPage quick(String path, Supplier<OpsPage.PageAnswer> answer) {
    return new OpsPage(
        path, OpsPage.Cost.QUICK, OpsPage.Audience.EVERYONE, request -> answer.get());
  }

  private static OpsPage.PageAnswer ok() {
    return OpsPage.PageAnswer.text(200, "ok\n");
  }

  private static OpsHttpServer start(OpsHttpServer.HttpLimits limits, OpsPage... pages)
      throws IOException {
    return OpsHttpServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        List.of(pages),
        PageAccess.OPEN,
        limits,
        FileDescriptors.ofProcess(),
        Optional.empty());
  }

  private static Socket connect(OpsHttpServer to) throws IOException {
    Socket socket = new Socket(to.address().getAddress(), to.address().getPort());
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static void say(Socket socket, String words) throws IOException {
    socket.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
  }

  /** Empty when the connection was closed. */
  private static String firstLine(Socket socket) throws IOException {
    try {
      String line = reader(socket).readLine();
      return line == null ? "" : line;
    } catch (SocketException reset) {
      return "";
    }
  }

  private OpsHttpServer start(int port) throws IOException {
    return OpsHttpServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        Optional::empty,
        () -> readiness,
        metrics,
        List.of(),
        PageAccess.OPEN,
        Optional.empty());
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create(
            "http://"
                + server.address().getAddress().getHostAddress()
                + ":"
                + server.address().getPort()
                + path));
  }
}
