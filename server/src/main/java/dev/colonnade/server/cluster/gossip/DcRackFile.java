package dev.colonnade.server.cluster.gossip;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads data centres and racks from a file in the format of Cassandra's PropertyFileSnitch: a line
 * {@code host=datacenter:rack} for each node, {@code default=datacenter:rack} for all others, and
 * lines that begin with {@code #} or {@code !} as comments. A colon in an address is written {@code
 * \:}; a port after the host is ignored.
 *
 * <p>All nodes should have the same file.
 */
public final class DcRackFile implements EndpointSnitch {

  private static final String DEFAULT_HOST = "default";

  private final SortedMap<String, DcRack> byHost;
  private final DcRack otherwise;

  private DcRackFile(SortedMap<String, DcRack> byHost, DcRack otherwise) {
    this.byHost = byHost;
    this.otherwise = otherwise;
  }

  /**
   * Reads the text of a file.
   *
   * @param name of the file, for messages
   * @throws IllegalArgumentException if a line has none of these forms; the message says which and
   *     why
   */
  public static DcRackFile parse(String name, String text) {
    SortedMap<String, DcRack> byHost = new TreeMap<>();
    DcRack otherwise = DcRack.DEFAULT;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String stripped = line.strip();
      if (stripped.isEmpty() || stripped.startsWith("#") || stripped.startsWith("!")) {
        continue;
      }
      int equals = stripped.indexOf('=');
      Optional<DcRack> location = location(stripped.substring(equals + 1).strip());
      String host = equals < 0 ? "" : host(stripped.substring(0, equals).strip());
      if (host.isEmpty() || location.isEmpty()) {
        throw new IllegalArgumentException(
            name
                + " line "
                + number
                + ": expected address=datacenter:rack or default=datacenter:rack, got \""
                + stripped
                + "\"");
      }
      if (host.equals(DEFAULT_HOST)) {
        otherwise = location.get();
      } else if (byHost.put(host, location.get()) != null) {
        throw new IllegalArgumentException(
            name + " line " + number + ": " + host + " has a line already");
      }
    }
    return new DcRackFile(byHost, otherwise);
  }

  private static Optional<DcRack> location(String text) {
    int colon = text.indexOf(':');
    String datacenter = colon < 0 ? "" : text.substring(0, colon).strip();
    String rack = text.substring(colon + 1).strip();
    return datacenter.isEmpty() || rack.isEmpty()
        ? Optional.empty()
        : Optional.of(new DcRack(datacenter, rack));
  }

  /** Strips the port, and the backslashes that property files require before colons. */
  private static String host(String text) {
    String plain = text.replace("\\:", ":");
    int colon = plain.indexOf(':');
    boolean port = colon >= 0 && colon == plain.lastIndexOf(':');
    return port ? plain.substring(0, colon) : plain;
  }

  @Override
  public DcRack of(String host, Optional<DcRack> announced) {
    return byHost.getOrDefault(host, otherwise);
  }
}
