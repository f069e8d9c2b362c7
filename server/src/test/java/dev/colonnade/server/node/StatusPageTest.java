package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.colonnade.server.base.config.ClusterSettings;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The status page of a node that runs: what it is made of, and what a browser makes of it. */
final class StatusPageTest {

  private static final List<String> FILES = List.of("/", "/status.css", "/status.js", "/nodes.js");

  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir static Path folder;

  private static Node node;
  private static Node other;

  @BeforeAll
  static void start() throws Exception {
    node = Node.start(options("n1").withText(ClusterSettings.INITIAL_TOKEN, "0"));
    other =
        Node.start(
            options("n2")
                .withText(ClusterSettings.INITIAL_TOKEN, "1" + "0".repeat(30))
                .withText(ClusterSettings.SEEDS, "127.0.0.1:" + node.self().address().port()));
    awaitBothUp();
  }

  /** The second node has started once it sees the first; the first hears of it a moment later. */
  private static void awaitBothUp() throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    int up = 0;
    while (up < 2) {
      assertTrue(System.nanoTime() < deadline, "the nodes see each other");
      up = 0;
      for (JsonElement each :
          JsonParser.parseString(get("/status.json").body())
              .getAsJsonObject()
              .getAsJsonArray("ring")) {
        up += each.getAsJsonObject().get("liveness").getAsString().equals("up") ? 1 : 0;
      }
    }
  }

  private static NodeOptions options(String name) {
    return NodeOptions.defaults()
        .withDataDirectory(folder.resolve(name))
        .withFreePorts()
        .withText(ClusterSettings.RING_DELAY, "1");
  }

  @AfterAll
  static void stop() {
    other.close();
    node.close();
  }

  private static String address() {
    return "http://127.0.0.1:" + node.httpPort();
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(address() + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void nothingOfThePageComesFromElsewhere() throws Exception {
    for (String path : FILES) {
      HttpResponse<String> answer = get(path);
      assertEquals(200, answer.statusCode(), path);
      String policy = answer.headers().firstValue("Content-Security-Policy").orElse("");
      assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
      assertFalse(policy.contains("unsafe"), policy);
      assertEquals("nosniff", answer.headers().firstValue("X-Content-Type-Options").orElse(""));
      String body = answer.body().replace("http://www.w3.org/2000/svg", "");
      assertFalse(Pattern.compile("https?://|@import|//[a-z]+\\.").matcher(body).find(), path);
    }
    String html = get("/").body();
    assertFalse(Pattern.compile("style=|<script>|<style|\\bon[a-z]+=").matcher(html).find(), html);
    for (String script : List.of("/status.js", "/nodes.js")) {
      assertFalse(get(script).body().contains("innerHTML"), "names would be read as HTML");
    }
  }

  @Test
  void thePageHasNamesForThoseWhoDoNotSeeIt() throws Exception {
    String html = get("/").body();
    assertTrue(html.contains("<html lang=\"en\">"));
    assertEquals(1, count(html, "aria-live"), "only the state is announced");
    assertEquals(count(html, "<table"), count(html, "<caption"));
    assertEquals(count(html, "<th "), count(html, "scope=\"col\""));
    assertEquals(count(html, "<section"), count(html, "aria-labelledby="));
    assertTrue(get("/status.css").body().contains("prefers-color-scheme: dark"));
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  @Test
  void theJsonDescribesTheNode() throws Exception {
    HttpResponse<String> answer = get("/status.json");
    assertEquals(
        "application/json; charset=utf-8", answer.headers().firstValue("Content-Type").orElse(""));
    JsonObject json = JsonParser.parseString(answer.body()).getAsJsonObject();
    assertEquals(node.self().id(), json.getAsJsonObject("node").get("id").getAsString());
    assertEquals(2, json.getAsJsonArray("ring").size());
    List<String> selves = new ArrayList<>();
    for (JsonElement each : json.getAsJsonArray("ring")) {
      assertEquals("up", each.getAsJsonObject().get("liveness").getAsString());
      if (each.getAsJsonObject().get("self").getAsBoolean()) {
        selves.add(each.getAsJsonObject().get("id").getAsString());
      }
    }
    assertEquals(List.of(node.self().id()), selves);
    assertEquals(2, json.getAsJsonArray("disks").size());
    describesANode(json.getAsJsonObject("figures"));
  }

  private static void describesANode(JsonObject figures) {
    assertTrue(figures.get("ready").getAsBoolean());
    assertTrue(figures.getAsJsonArray("stages").size() > 5);
    assertTrue(figures.getAsJsonArray("families").size() >= 3, "those of the system");
    assertTrue(figures.get("heapUsedBytes").getAsLong() > 0);
    assertTrue(figures.get("repair").isJsonNull());
  }

  /** The first look begins to ask; a later one has the answer. */
  @Test
  void theOtherNodeIsAskedForTheSameFigures() throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    JsonObject found;
    do {
      JsonObject json = JsonParser.parseString(get("/nodes.json").body()).getAsJsonObject();
      assertEquals(1, json.getAsJsonArray("nodes").size(), "without the node that is asked");
      found = json.getAsJsonArray("nodes").get(0).getAsJsonObject();
    } while (found.get("figures").isJsonNull() && System.nanoTime() < deadline);
    assertEquals(other.self().id(), found.get("id").getAsString());
    assertTrue(found.get("failure").isJsonNull());
    describesANode(found.getAsJsonObject("figures"));
  }

  @Test
  void aBrowserDrawsIt() throws Exception {
    String drawn = draw("/");
    assertTrue(drawn.contains("<span id=\"state-text\">Serving</span>"), drawn);
    assertTrue(drawn.contains("Ring of 2 nodes, 2 of them up"), drawn);
    String self = "127.0.0.1:" + node.self().address().port();
    String second = "127.0.0.1:" + other.self().address().port();
    assertTrue(drawn.contains(self + " (this node)"), drawn);
    assertTrue(drawn.contains("system.Schema"), drawn);
    assertTrue(drawn.contains("No damaged files on this node."), drawn);
    assertTrue(drawn.contains("at most"), "a second answer made a chart: " + drawn);
    String row = rowOf(second, drawn);
    assertTrue(row.contains("aria-pressed=\"false\""), row);
    assertTrue(row.contains("Calls per second: at most 0 in the last minutes"), row);
    assertTrue(row.contains("just now") || row.contains(" ago"), row);
  }

  @Test
  void theOtherNodeIsDrawnAsWellWhenItIsChosen() throws Exception {
    String drawn = draw("/#node=" + other.self().id() + "&family=system.Schema");
    String second = "127.0.0.1:" + other.self().address().port();
    assertTrue(drawn.contains("<h2 id=\"now-title\">Node " + second + "</h2>"), drawn);
    assertTrue(rowOf(second, drawn).contains("aria-pressed=\"true\""), drawn);
    assertTrue(drawn.contains("for it by this node"), drawn);
    assertTrue(drawn.contains("what its replicas do, of system.Schema."), drawn);
  }

  /** The row of a node in the table of all nodes. */
  private static String rowOf(String address, String drawn) {
    return Stream.of(drawn.split("<tr", -1))
        .filter(row -> row.contains("<button") && row.contains(address))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row of " + address + " in " + drawn));
  }

  /** In a browser that shows pages without a screen; it prints the page as the script left it. */
  private static String draw(String path) throws Exception {
    Optional<Path> chromium =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .map(place -> Path.of(place, "chromium"))
            .filter(Files::isExecutable)
            .findFirst();
    boolean expected = System.getenv("COLONNADE_EXPECT_CHROMIUM") != null;
    assertTrue(chromium.isPresent() || !expected, "chromium is expected on the path");
    assumeTrue(chromium.isPresent(), "there is no chromium, of Debian's package of that name");
    Path page = folder.resolve("page.html");
    Process browser =
        new ProcessBuilder(
                chromium.get().toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--user-data-dir=" + folder.resolve("profile"),
                "--virtual-time-budget=5000",
                "--dump-dom",
                address() + path)
            .redirectOutput(page.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertTrue(browser.waitFor(60, TimeUnit.SECONDS), "chromium hangs");
    } finally {
      browser.destroyForcibly();
    }
    return Files.readString(page, StandardCharsets.UTF_8);
  }
}
