package dev.colonnade.server.base.config;

import java.net.URI;
import java.net.URISyntaxException;

/** Where a node sends what it tells of itself, besides the page that it offers to Prometheus. */
public final class TelemetrySettings {

  static final SettingGroup GROUP = new SettingGroup("Telemetry");

  /** The longest address. */
  private static final int LENGTH_MAX = 300;

  /** The collector of OpenTelemetry that gets the traces of sampled calls; empty: none does. */
  public static final Setting<String> OTLP_ENDPOINT =
      GROUP
          .setting(
              "otlp_endpoint",
              ValueForm.text(
                  "http://HOST:PORT, https://HOST:PORT or empty", TelemetrySettings::isEndpoint),
              "")
          .element("OtlpEndpoint")
          .isNew()
          .defaultText("none")
          .reason("A node connects to nothing that it was not told of.")
          .help(
              "The collector of OpenTelemetry, by OTLP over gRPC, that gets a span of each call"
                  + " whose caller samples its trace: http://HOST:PORT, or https:// for TLS with"
                  + " the authorities that the Java machine trusts.");

  private TelemetrySettings() {}

  private static boolean isEndpoint(String text) {
    if (text.isEmpty()) {
      return true;
    }
    if (text.length() > LENGTH_MAX) {
      return false;
    }
    try {
      URI uri = new URI(text);
      boolean known = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean bare =
          uri.getUserInfo() == null
              && uri.getQuery() == null
              && uri.getFragment() == null
              && (uri.getPath().isEmpty() || uri.getPath().equals("/"));
      return known && bare && uri.getHost() != null && uri.getPort() > 0 && uri.getPort() < 65_536;
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
