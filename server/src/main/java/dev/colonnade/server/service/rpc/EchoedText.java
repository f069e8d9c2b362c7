package dev.colonnade.server.service.rpc;

import java.util.Objects;

/**
 * Pieces of error messages that repeat what a client sent, cut to a length that headers can carry.
 */
final class EchoedText {

  private static final int MAX_CHARACTERS = 100;

  private EchoedText() {}

  static String quoted(String text) {
    return "'" + shortened(text) + "'";
  }

  static String shortened(String text) {
    return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "…";
  }

  static String messageOf(Throwable error) {
    return Objects.requireNonNullElse(error.getMessage(), "not valid");
  }
}
