package dev.colonnade.server.cluster.gossip;

import java.util.Base64;
import java.util.Optional;

/**
 * The value of {@link ApplicationState#SIGNATURE}: what a node has signed its states with.
 * Immutable as long as its arrays are left alone.
 */
final class StateSignature {

  static final int SIGNATURE_MAX = 1_024;

  private final byte[] firstLink;
  private final byte[] signature;

  StateSignature(byte[] firstLink, byte[] signature) {
    this.firstLink = firstLink;
    this.signature = signature;
  }

  /** The first link of the chain of its heartbeats from the signature on. */
  byte[] firstLink() {
    return firstLink;
  }

  /** The signature of its states and the first link. */
  byte[] signature() {
    return signature;
  }

  /** The value on the wire: both in Base64, with a point in between. */
  String text() {
    return encode(firstLink) + "." + encode(signature);
  }

  /** Reads it; empty for any other text. */
  static Optional<StateSignature> parse(String text) {
    int point = text.indexOf('.');
    if (point < 0) {
      return Optional.empty();
    }
    return decode(text.substring(0, point), HeartbeatChain.LINK_BYTES)
        .filter(link -> link.length == HeartbeatChain.LINK_BYTES)
        .flatMap(
            link ->
                decode(text.substring(point + 1), SIGNATURE_MAX)
                    .map(signature -> new StateSignature(link, signature)));
  }

  static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Decodes at most so many bytes; empty if there are more, or it is no Base64. */
  static Optional<byte[]> decode(String text, int bytesMax) {
    if (text.length() > (bytesMax * 4 + 2) / 3) {
      return Optional.empty();
    }
    try {
      return Optional.of(Base64.getUrlDecoder().decode(text));
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }
}
