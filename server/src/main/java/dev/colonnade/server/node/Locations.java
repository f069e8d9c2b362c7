package dev.colonnade.server.node;

import dev.colonnade.server.config.ClusterSettings.Snitch;

/** Where a snitch says that an address stands. */
final class Locations {

  private static final String DATACENTER = "datacenter1";
  private static final String RACK = "rack1";

  private Locations() {}

  static String datacenter(Snitch snitch, String address) {
    return snitch == Snitch.RACK_INFERRING ? octet(address, 1, DATACENTER) : DATACENTER;
  }

  static String rack(Snitch snitch, String address) {
    return snitch == Snitch.RACK_INFERRING ? octet(address, 2, RACK) : RACK;
  }

  /** The second number of an IPv4 address is the data centre, the third the rack. */
  private static String octet(String address, int index, String otherwise) {
    String[] octets = address.split("\\.", -1);
    return octets.length == 4 ? octets[index] : otherwise;
  }
}
