package dev.colonnade.server.gossip;

/**
 * Where a node stands.
 *
 * @param rack racks of different data centres are different
 */
public record DcRack(String datacenter, String rack) {

  /** Where a node is that nobody says anything about. */
  public static final DcRack DEFAULT = new DcRack("datacenter1", "rack1");

  /** Refuses empty names. */
  public DcRack {
    if (datacenter.isEmpty() || rack.isEmpty()) {
      throw new IllegalArgumentException("a data centre and a rack have names");
    }
  }
}
