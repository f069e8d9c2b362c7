package dev.colonnade.server.cluster.net;

/**
 * Another node, or an address whose node is not known yet.
 *
 * @param id the node's id; empty for any node at the address, as with a seed that was never met
 * @param address where it listened last
 */
public record Peer(String id, PeerAddress address) {

  /** Any node at that address. */
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
