package dev.colonnade.server.gossip;

/**
 * Where a node stands.
 *
 * @param rack racks of different data centres are different
 */
public record Location(String datacenter, String rack) {

  /** Where a node is that nobody says anything about. */
  public static final Location DEFAULT = new Location("datacenter1", "rack1");

  /** Refuses empty names. */
  public Location {
    if (datacenter.isEmpty() || rack.isEmpty()) {
      throw new IllegalArgumentException("a data centre and a rack have names");
    }
  }
}
