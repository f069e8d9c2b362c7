package dev.colonnade.server.net;

/**
 * Another node, or whoever listens at an address.
 *
 * @param id the node's id; empty for whoever listens there, as with a seed that was never met
 * @param address where it listened last
 */
public record Peer(String id, PeerAddress address) {

  /** Whoever listens there. */
  public static Peer at(PeerAddress address) {
    return new Peer("", address);
  }

  /** Whether a message for this peer is meant for the node with that id. */
  public boolean admits(String nodeId) {
    return id.isEmpty() || id.equals(nodeId);
  }

  @Override
  public String toString() {
    return id.isEmpty() ? address.toString() : id + " at " + address;
  }
}
