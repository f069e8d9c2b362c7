package dev.colonnade.server.cluster.gossip;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The bytes that nodes sign. Texts are preceded by their length in bytes; numbers have eight bytes,
 * the highest first. The first text says what it is, so that no signature serves for another thing.
 */
final class SignedContent {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private SignedContent(String kind, String clusterName, String nodeId) {
    text(kind);
    text(clusterName);
    text(nodeId);
  }

  /**
   * All that a node announces at a time, so that no value can be left out, or taken from another
   * time: generation, version of the signature, first link of the heartbeats, and key, version and
   * value of each state but those that prove the others.
   */
  static byte[] of(String clusterName, EndpointState state, long version, byte[] firstLink) {
    SignedContent content = new SignedContent("colonnade gossip 1", clusterName, state.id());
    content.number(state.generation());
    content.number(version);
    content.bytes.writeBytes(firstLink);
    for (VersionedValue value : state.states()) {
      if (!isProof(value)) {
        content.number(value.key());
        content.number(value.version());
        content.text(value.value());
      }
    }
    return content.bytes.toByteArray();
  }

  static byte[] of(String clusterName, Removal removal) {
    SignedContent content = new SignedContent("colonnade removal 1", clusterName, removal.nodeId());
    content.number(removal.generation());
    content.number(removal.decidedMillis());
    content.number(removal.expiryMillis());
    return content.bytes.toByteArray();
  }

  /** Whether a state proves the others, and is not signed itself. */
  static boolean isProof(VersionedValue value) {
    return value.key() == ApplicationState.SIGNATURE.number()
        || value.key() == ApplicationState.HEARTBEAT_PROOF.number();
  }

  private void text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    number(utf8.length);
    bytes.writeBytes(utf8);
  }

  private void number(long number) {
    bytes.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }
}
