package dev.colonnade.server.cluster.ring;

import java.util.Arrays;
import java.util.List;

/**
 * A node as the ring sees it. Two are the same node when their ids are equal.
 *
 * @param id chosen by the node at its first start, never changed
 * @param address host name or address that other nodes and clients reach it under
 * @param peerPort where other nodes connect
 * @param clientPort where clients connect
 * @param datacenter what its snitch says
 * @param rack what its snitch says; racks of different data centres are different
 * @param tokens at least one, none of them the minimum
 */
public record RingNode(
    String id,
    String address,
    int peerPort,
    int clientPort,
    String datacenter,
    String rack,
    List<byte[]> tokens) {

  /** Copies the list of tokens. */
  public RingNode {
    tokens = List.copyOf(tokens);
    if (tokens.isEmpty()) {
      throw new IllegalArgumentException("node " + id + " has no token");
    }
  }

  /** Whether both are equal in everything, not only in their ids. */
  boolean isTheSameAs(RingNode other) {
    return id.equals(other.id)
        && address.equals(other.address)
        && peerPort == other.peerPort
        && clientPort == other.clientPort
        && datacenter.equals(other.datacenter)
        && rack.equals(other.rack)
        && hasTokens(other.tokens);
  }

  private boolean hasTokens(List<byte[]> others) {
    if (tokens.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < tokens.size(); i++) {
      if (!Arrays.equals(tokens.get(i), others.get(i))) {
        return false;
      }
    }
    return true;
  }
}
