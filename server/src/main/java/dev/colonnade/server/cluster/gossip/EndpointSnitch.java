package dev.colonnade.server.cluster.gossip;

import java.util.Optional;

/**
 * Decides the data centre and rack of each node. This node decides for all others, so a snitch that
 * reads addresses or a file does not depend on what nodes announce; only {@link #announced} trusts
 * that.
 *
 * <p>Pure and thread-safe.
 */
@FunctionalInterface
public interface EndpointSnitch {

  /**
   * Returns where a node is.
   *
   * @param host under which other nodes reach it, a name or an address
   * @param announced what the node announces, if it does
   */
  DcRack of(String host, Optional<DcRack> announced);

  /** Puts all nodes in one rack of one data centre. */
  static EndpointSnitch single() {
    return (host, announced) -> DcRack.DEFAULT;
  }

  /**
   * Takes the second number of an IPv4 address for the data centre, the third for the rack; any
   * other address is in {@link DcRack#DEFAULT}.
   */
  static EndpointSnitch octets() {
    return (host, announced) -> {
      String[] octets = host.split("\\.", -1);
      return octets.length == 4 && !octets[1].isEmpty() && !octets[2].isEmpty()
          ? new DcRack(octets[1], octets[2])
          : DcRack.DEFAULT;
    };
  }

  /** Puts each node where it announces to be. */
  static EndpointSnitch announced() {
    return (host, announced) -> announced.orElse(DcRack.DEFAULT);
  }
}
