package dev.colonnade.server.node;

import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.ArrayList;
import java.util.List;

/** Parses the addresses of seeds: a host name or an address, with or without a port. */
final class Seeds {

  private Seeds() {}

  /**
   * Parses all of them.
   *
   * @param port if none is given
   * @throws IllegalArgumentException if one is malformed
   */
  static List<PeerAddress> parse(List<String> texts, int port) {
    List<PeerAddress> seeds = new ArrayList<>();
    for (String text : texts) {
      seeds.add(parse(text.strip(), port));
    }
    return seeds;
  }

  private static PeerAddress parse(String text, int port) {
    String host = text;
    String written = "";
    int bracket = text.indexOf(']');
    if (text.startsWith("[") && bracket > 0) {
      host = text.substring(1, bracket);
      written = text.substring(bracket + 1);
    } else if (text.indexOf(':') >= 0 && text.indexOf(':') == text.lastIndexOf(':')) {
      host = text.substring(0, text.indexOf(':'));
      written = text.substring(text.indexOf(':'));
    }
    try {
      return new PeerAddress(
          host, written.isEmpty() ? port : Integer.parseInt(written.substring(1)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not a seed: a seed is a host or an address, followed by a colon and the peer"
              + " port if that differs from this node's",
          e);
    }
  }
}
