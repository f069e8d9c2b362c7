package dev.colonnade.server.gossip;

import java.util.Optional;

/**
 * Decides where nodes stand: what operators call a snitch. This node decides for all others, so
 * that whoever reads addresses or a file does not depend on what nodes say of themselves; only
 * {@link #announced} believes them.
 *
 * <p>Pure and thread-safe.
 */
@FunctionalInterface
public interface EndpointSnitch {

  /**
   * Where a node stands.
   *
   * @param host what other nodes reach it under, a name or an address
   * @param announced what the node says of itself, if it says so
   */
  DcRack of(String host, Optional<DcRack> announced);

  /** All in one rack of one data centre. */
  static EndpointSnitch single() {
    return (host, announced) -> DcRack.DEFAULT;
  }

  /**
   * The second number of an IPv4 address is the data centre, the third the rack; any other address
   * stands where {@link DcRack#DEFAULT} is.
   */
  static EndpointSnitch octets() {
    return (host, announced) -> {
      String[] octets = host.split("\\.", -1);
      return octets.length == 4 && !octets[1].isEmpty() && !octets[2].isEmpty()
          ? new DcRack(octets[1], octets[2])
          : DcRack.DEFAULT;
    };
  }

  /** Where each node says that it stands. */
  static EndpointSnitch announced() {
    return (host, announced) -> announced.orElse(DcRack.DEFAULT);
  }
}
