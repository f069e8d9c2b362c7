package dev.colonnade.server.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.metrics.Labels;
import dev.colonnade.server.metrics.MetricSet;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OpsHttpServerTest {
  private final MetricSet metrics = new MetricSet();
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile Optional<String> notReady = Optional.of("replaying the commit log");
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
    notReady = Optional.empty();
    assertEquals(200, get("/readyz").statusCode());
    assertEquals("ok\n", get("/readyz").body());
  }

  @Test
  void metricsAreInThePrometheusTextFormat() throws Exception {
    metrics.counter("reads", "Reads answered.", Labels.of("family", "po\"sts")).add(3);
    metrics.gauge("memtable_bytes", "Bytes in memory.", Labels.NONE, () -> 12.5);
    metrics.latency("read_seconds", "Time of reads.", Labels.NONE).record(1_500_000_000L);
    HttpResponse<String> response = get("/metrics");
    assertEquals(200, response.statusCode());
    assertTrue(response.headers().firstValue("Content-Type").orElse("").startsWith("text/plain"));
    String body = response.body();
    assertTrue(body.contains("# HELP reads_total Reads answered.\n"), body);
    assertTrue(body.contains("# TYPE reads_total counter\n"), body);
    assertTrue(body.contains("reads_total{family=\"po\\\"sts\"} 3.0\n"), body);
    assertTrue(body.contains("memtable_bytes 12.5\n"), body);
    assertTrue(body.contains("read_seconds_bucket{le=\"1.073741824\"} 0\n"), body);
    assertTrue(body.contains("read_seconds_bucket{le=\"2.147483648\"} 1\n"), body);
    assertTrue(body.contains("read_seconds_count 1\n"), body);
    assertTrue(body.contains("read_seconds_sum 1.5\n"), body);
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

  private OpsHttpServer start(int port) throws IOException {
    return OpsHttpServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        Optional::empty,
        () -> notReady,
        metrics);
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
