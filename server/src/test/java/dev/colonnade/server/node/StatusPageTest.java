package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

  private static final List<String> FILES = List.of("/", "/status.css", "/status.js");

  @TempDir static Path folder;

  private static Node node;

  @BeforeAll
  static void start() throws Exception {
    node =
        Node.start(
            NodeOptions.defaults().withDataDirectory(folder.resolve("data")).withFreePorts());
  }

  @AfterAll
  static void stop() {
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
    assertFalse(get("/status.js").body().contains("innerHTML"), "names would be read as HTML");
  }

  @Test
  void thePageHasNamesForThoseWhoDoNotSeeIt() throws Exception {
    String html = get("/").body();
    assertTrue(html.contains("<html lang=\"en\">"));
    assertEquals(1, count(html, "aria-live"), "only the state is announced");
    assertEquals(count(html, "<table>"), count(html, "<caption>"));
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
    assertTrue(json.getAsJsonObject("node").get("ready").getAsBoolean());
    assertEquals(node.self().id(), json.getAsJsonObject("node").get("id").getAsString());
    assertEquals(1, json.getAsJsonArray("ring").size());
    JsonObject self = json.getAsJsonArray("ring").get(0).getAsJsonObject();
    assertTrue(self.get("self").getAsBoolean());
    assertEquals("up", self.get("liveness").getAsString());
    assertTrue(json.getAsJsonArray("stages").size() > 5);
    assertTrue(json.getAsJsonArray("families").size() >= 3, "those of the system");
    assertEquals(2, json.getAsJsonArray("disks").size());
    assertTrue(json.get("repair").isJsonNull());
  }

  /** In a browser that shows pages without a screen; it prints the page as the script left it. */
  @Test
  void aBrowserDrawsIt() throws Exception {
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
                address() + "/")
            .redirectOutput(page.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertTrue(browser.waitFor(60, TimeUnit.SECONDS), "chromium hangs");
    } finally {
      browser.destroyForcibly();
    }
    String drawn = Files.readString(page, StandardCharsets.UTF_8);
    assertTrue(drawn.contains("<span id=\"state-text\">Serving</span>"), drawn);
    assertTrue(drawn.contains("Ring of 1 nodes, 1 of them up"), drawn);
    assertTrue(drawn.contains("127.0.0.1:" + node.self().address().port() + " (this node)"), drawn);
    assertTrue(drawn.contains("system.Schema"), drawn);
    assertTrue(drawn.contains("No damaged files on this node."), drawn);
    assertTrue(drawn.contains("at most"), "a second answer made a chart: " + drawn);
  }
}
