package dev.colonnade.client;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.List;

/**
 * A part of the ring and who holds it.
 *
 * @param startToken where the range begins; the token itself is outside
 * @param endToken where it ends; the token itself is inside
 * @param endpoints the replicas, the one that owns the range first
 */
public record RingRange(String startToken, String endToken, List<Endpoint> endpoints) {

  /** Keeps a copy of the list. */
  public RingRange {
    endpoints = List.copyOf(endpoints);
  }

  static RingRange of(dev.colonnade.admin.v1.TokenRange message) {
    return new RingRange(
        message.getStartToken(),
        message.getEndToken(),
        message.getEndpointsList().stream().map(Endpoint::of).toList());
  }

  /**
   * The same with the replicas on this machine before the others, which stay in their order: for a
   * program that reads the range where it is. Looks up the replicas' addresses.
   */
  public RingRange nearestFirst() {
    return new RingRange(
        startToken,
        endToken,
        endpoints.stream()
            .sorted(Comparator.comparing(endpoint -> !isHere(endpoint.address())))
            .toList());
  }

  private static boolean isHere(String host) {
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (UnknownHostException | SocketException e) {
      // It is somewhere else then, as far as this machine can tell.
      return false;
    }
  }
}
