package dev.colonnade.server.base.config;

/**
 * The settings that snitches read.
 *
 * @param datacenter of this node, for {@link ClusterSettings.Snitch#GOSSIPING}
 * @param rack of this node within it
 * @param file that names those of all nodes, for {@link ClusterSettings.Snitch#PROPERTY_FILE};
 *     empty if none was given
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

  /** Returns these settings with another data centre. */
  public LocationSettings withDatacenter(String changed) {
    return new LocationSettings(changed, rack, file);
  }

  /** Returns these settings with another rack. */
  public LocationSettings withRack(String changed) {
    return new LocationSettings(datacenter, changed, file);
  }

  /** Returns these settings with another file. */
  public LocationSettings withFile(String changed) {
    return new LocationSettings(datacenter, rack, changed);
  }
}
