package dev.colonnade.server.cluster.gossip;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Proves heartbeats at the cost of a hash: each link is the hash of the link after it. A node signs
 * the first link together with its states, and shows one link more with each heartbeat. Only the
 * node that knows the last one can show the next, and a node that has seen one can check any later
 * one.
 *
 * <p>After Lamport, "Password Authentication with Insecure Communication" (1981). Immutable.
 */
final class HeartbeatChain {

  /** Heartbeats after which the states are signed again: one signature in eight minutes. */
  static final int LENGTH = 512;

  static final int LINK_BYTES = 16;

  private final byte[][] links = new byte[LENGTH + 1][];

  HeartbeatChain(byte[] secret) {
    links[LENGTH] = hash(secret);
    for (int i = LENGTH - 1; i >= 0; i--) {
      links[i] = hash(links[i + 1]);
    }
  }

  /**
   * Returns a link.
   *
   * @param heartbeats since the signature, at most {@link #LENGTH}; 0 for the link that is signed
   */
  byte[] link(int heartbeats) {
    return links[heartbeats].clone();
  }

  /** Whether a link is that of so many heartbeats after an earlier one. */
  static boolean follows(byte[] link, long heartbeats, byte[] earlier) {
    if (heartbeats < 0 || heartbeats > LENGTH || link.length != LINK_BYTES) {
      return false;
    }
    byte[] reached = link;
    for (long i = 0; i < heartbeats; i++) {
      reached = hash(reached);
    }
    return Arrays.equals(reached, earlier);
  }

  private static byte[] hash(byte[] bytes) {
    try {
      return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(bytes), LINK_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
