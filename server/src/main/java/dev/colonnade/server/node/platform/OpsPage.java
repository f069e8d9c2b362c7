package dev.colonnade.server.node.platform;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLSession;

/**
 * One path of {@link OpsHttpServer}.
 *
 * @param path as requested, without a query
 * @param cost how long {@code render} may take
 * @param audience who may ask for it
 * @param render builds an answer; any thread
 */
public record OpsPage(
    String path, Cost cost, Audience audience, Function<PageRequest, PageAnswer> render) {

  static final String TEXT = "text/plain; charset=utf-8";

  /** Where a page is built. */
  public enum Cost {
    /**
     * It never waits and takes microseconds: it is built on the event loop, and answers whatever
     * else the node does.
     */
    QUICK,
    /** A thread of its own builds it. */
    SLOW
  }

  /** Who may ask for a page. */
  public enum Audience {
    /** Everyone: probes have no credentials. */
    EVERYONE,
    /** Who may look at the node's figures, as {@link PageAccess} decides. */
    MONITORS
  }

  /**
   * What is asked for, and by whom.
   *
   * @param path without a query
   * @param host the header of that name; empty if there is none
   * @param accept the same
   * @param authorization the same
   * @param address where the request comes from, without the port
   * @param session of the connection's TLS; empty without TLS
   */
  public record PageRequest(
      String path,
      String host,
      String accept,
      String authorization,
      String address,
      Optional<SSLSession> session) {

    /** Without what says who asks. */
    @Override
    public String toString() {
      return "a request for " + path + " from " + address;
    }
  }

  /**
   * An answer.
   *
   * @param headers besides those of its length and type
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record PageAnswer(
      int status, String contentType, byte[] body, Map<String, String> headers) {

    /** An answer without further headers. */
    public PageAnswer(int status, String contentType, byte[] body) {
      this(status, contentType, body, Map.of());
    }

    /** A line of text. */
    public static PageAnswer text(int status, String text) {
      return new PageAnswer(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
