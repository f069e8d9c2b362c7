package dev.colonnade.server.config;

/**
 * What snitches that read settings need to know.
 *
 * @param datacenter where this node stands, for {@link ClusterSettings.Snitch#GOSSIPING}
 * @param rack where in it
 * @param file that says it of all nodes, for {@link ClusterSettings.Snitch#PROPERTY_FILE}; empty
 *     where none was named
 */
public record LocationSettings(String datacenter, String rack, String file) {

  /** The names that a cluster of one rack has everywhere. */
  public static final LocationSettings DEFAULT = new LocationSettings("datacenter1", "rack1", "");

  private static final int MAX_NAME_CHARACTERS = 200;

  /** Checks the names. */
  public LocationSettings {
    requireName("data centre", datacenter);
    requireName("rack", rack);
  }

  private static void requireName(String what, String name) {
    if (name.isBlank() || name.length() > MAX_NAME_CHARACTERS) {
      throw new IllegalArgumentException(
          "the name of a " + what + " has 1 to " + MAX_NAME_CHARACTERS + " characters");
    }
  }

  /** In another data centre. */
  public LocationSettings withDatacenter(String changed) {
    return new LocationSettings(changed, rack, file);
  }

  /** In another rack. */
  public LocationSettings withRack(String changed) {
    return new LocationSettings(datacenter, changed, file);
  }

  /** With another file. */
  public LocationSettings withFile(String changed) {
    return new LocationSettings(datacenter, rack, changed);
  }
}
