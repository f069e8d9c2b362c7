package dev.colonnade.server.cluster.net;

/**
 * Where a node listens for other nodes. A node may return with another address, and another node
 * may take over this one, so only {@link Peer#id} identifies a node.
 *
 * @param host a name or an address, not empty
 * @param port 1 to 65535
 */
public record PeerAddress(String host, int port) implements Comparable<PeerAddress> {

  /** Checks the ranges. */
  public PeerAddress {
    if (host.isEmpty() || port < 1 || port > 65_535) {
      throw new IllegalArgumentException("not an address of a node: " + host + ":" + port);
    }
  }

  @Override
  public int compareTo(PeerAddress other) {
    int byHost = host.compareTo(other.host);
    return byHost != 0 ? byHost : Integer.compare(port, other.port);
  }

  @Override
  public String toString() {
    return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
  }
}
