package dev.colonnade.server.node;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.ClusterSettings.Snitch;
import dev.colonnade.server.base.config.LocationSettings;
import dev.colonnade.server.cluster.gossip.DcRack;
import dev.colonnade.server.cluster.gossip.DcRackFile;
import dev.colonnade.server.cluster.gossip.EndpointSnitch;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * Creates the snitch that the settings name. Two snitches read a file next to the configuration
 * file, under the file name that Cassandra uses.
 */
final class Snitches {

  /** {@code address=datacenter:rack} for each node. */
  private static final String TOPOLOGY = "cassandra-topology.properties";

  /** {@code dc=} and {@code rack=} of this node. */
  private static final String OWN = "cassandra-rackdc.properties";

  private static final long MAX_FILE_BYTES = 16L << 20;

  private Snitches() {}

  /** The snitch. */
  static EndpointSnitch locations(ClusterSettings cluster) throws NodeStartException {
    return switch (cluster.snitch()) {
      case SIMPLE -> EndpointSnitch.single();
      case RACK_INFERRING -> EndpointSnitch.octets();
      case GOSSIPING -> EndpointSnitch.announced();
      case PROPERTY_FILE -> fromFile(cluster.location().file());
    };
  }

  /** The data centre and rack that this node announces. */
  static DcRack own(ClusterSettings cluster) {
    return new DcRack(cluster.location().datacenter(), cluster.location().rack());
  }

  /**
   * The settings combined with the command line and with the files next to the configuration file.
   *
   * @throws IllegalArgumentException if the snitch is unknown, or a file cannot be used
   */
  static ClusterSettings settled(
      ClusterSettings cluster, NodeOptions.StartRole standing, Optional<Path> storageConf) {
    Snitch snitch = snitch(cluster, standing);
    LocationSettings location = cluster.location();
    if (snitch == Snitch.GOSSIPING) {
      location = ownFile(location, beside(storageConf, OWN));
    }
    if (snitch == Snitch.PROPERTY_FILE && location.file().isEmpty()) {
      location = location.withFile(beside(storageConf, TOPOLOGY).toString());
    }
    location = location.withDatacenter(standing.datacenter().orElse(location.datacenter()));
    location = location.withRack(standing.rack().orElse(location.rack()));
    location = location.withFile(standing.file().map(Path::toString).orElse(location.file()));
    return cluster.withSnitch(snitch).withLocation(location);
  }

  private static Snitch snitch(ClusterSettings cluster, NodeOptions.StartRole standing) {
    if (standing.snitch().isPresent()) {
      String name = standing.snitch().get();
      return Snitch.of(name)
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "there is no snitch '" + name + "'; there are " + Snitch.names()));
    }
    boolean said = standing.datacenter().isPresent() || standing.rack().isPresent();
    if (cluster.snitch() == Snitch.SIMPLE && said) {
      return Snitch.GOSSIPING;
    }
    return cluster.snitch() == Snitch.SIMPLE && standing.file().isPresent()
        ? Snitch.PROPERTY_FILE
        : cluster.snitch();
  }

  private static Path beside(Optional<Path> storageConf, String name) {
    return storageConf.map(conf -> conf.resolveSibling(name)).orElse(Path.of(name));
  }

  private static LocationSettings ownFile(LocationSettings location, Path file) {
    if (!Files.exists(file)) {
      return location;
    }
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(text(file)));
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read " + file + ": " + e.getMessage(), e);
    }
    return location
        .withDatacenter(properties.getProperty("dc", location.datacenter()).strip())
        .withRack(properties.getProperty("rack", location.rack()).strip());
  }

  private static EndpointSnitch fromFile(String file) throws NodeStartException {
    Path path = Path.of(file);
    if (!Files.exists(path)) {
      throw new NodeStartException(
          "PropertyFileSnitch needs the file "
              + path.toAbsolutePath()
              + ", which does not exist: create it with a line address=datacenter:rack for each"
              + " node, or default=datacenter:rack");
    }
    try {
      return DcRackFile.parse(file, text(path));
    } catch (IOException e) {
      throw new NodeStartException("cannot read " + path + ": " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static String text(Path file) throws IOException {
    long size = Files.size(file);
    if (size > MAX_FILE_BYTES) {
      throw new IOException("it has " + size + " bytes, too many for such a file");
    }
    return Files.readString(file);
  }
}
