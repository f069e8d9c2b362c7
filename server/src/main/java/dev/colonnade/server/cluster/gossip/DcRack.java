package dev.colonnade.server.cluster.gossip;

/**
 * The data centre and rack of a node.
 *
 * @param rack racks of different data centres are different
 */
public record DcRack(String datacenter, String rack) {

  /** Used for a node whose place is not given anywhere. */
  public static final DcRack DEFAULT = new DcRack("datacenter1", "rack1");

  /** Refuses empty names. */
  public DcRack {
    if (datacenter.isEmpty() || rack.isEmpty()) {
      throw new IllegalArgumentException("a data centre and a rack have names");
    }
  }
}
