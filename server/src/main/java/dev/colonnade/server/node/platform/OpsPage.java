package dev.colonnade.server.node.platform;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * One path of {@link OpsHttpServer}.
 *
 * @param path as requested, without a query
 * @param quick true if {@code render} never waits and takes microseconds: it then runs on the event
 *     loop, and answers whatever else the node does. Otherwise a thread of its own calls it
 * @param render builds an answer; any thread
 */
record OpsPage(String path, boolean quick, Supplier<PageAnswer> render) {

  static final String TEXT = "text/plain; charset=utf-8";

  /** An answer. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record PageAnswer(int status, String contentType, byte[] body) {

    static PageAnswer text(int status, String text) {
      return new PageAnswer(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
