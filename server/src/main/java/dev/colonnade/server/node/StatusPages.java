package dev.colonnade.server.node;

import dev.colonnade.server.node.platform.OpsPage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The status page: a page that a browser shows, with its style and script, and the JSON that the
 * script asks for. Nothing of it comes from elsewhere, and the browser is told to load nothing
 * else.
 */
final class StatusPages {

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
              + " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer");

  private StatusPages() {}

  static List<OpsPage> of(StatusJson json) {
    return List.of(
        file("/", "status.html", "text/html; charset=utf-8"),
        file("/status.css", "status.css", "text/css; charset=utf-8"),
        file("/status.js", "status.js", "text/javascript; charset=utf-8"),
        file("/nodes.js", "nodes.js", "text/javascript; charset=utf-8"),
        json("/status.json", json::render),
        json("/nodes.json", json::others));
  }

  private static OpsPage json(String path, Supplier<byte[]> render) {
    return new OpsPage(
        path,
        OpsPage.Cost.SLOW,
        OpsPage.Audience.MONITORS,
        request ->
            new OpsPage.PageAnswer(200, "application/json; charset=utf-8", render.get(), HEADERS));
  }

  private static OpsPage file(String path, String name, String type) {
    OpsPage.PageAnswer answer = new OpsPage.PageAnswer(200, type, resource(name), HEADERS);
    return new OpsPage(path, OpsPage.Cost.SLOW, OpsPage.Audience.MONITORS, request -> answer);
  }

  private static byte[] resource(String name) {
    try (InputStream in = StatusPages.class.getResourceAsStream("status/" + name)) {
      if (in == null) {
        throw new IllegalStateException("the build lacks the file " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("the file " + name + " of the program cannot be read", e);
    }
  }
}
