package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.Optional;

/** Formats addresses of nodes as {@link PeerAddress#toString} does, and parses them. */
final class AddressText {

  private AddressText() {}

  static Optional<PeerAddress> parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon <= 0) {
      return Optional.empty();
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    try {
      return Optional.of(new PeerAddress(host, Integer.parseInt(text.substring(colon + 1))));
    } catch (IllegalArgumentException notAnAddress) {
      return Optional.empty();
    }
  }
}
