package dev.colonnade.server.node;

import dev.colonnade.server.base.config.LocationSettings;
import dev.colonnade.server.base.config.LocationSettings.Snitch;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.SettingValues;
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
  static EndpointSnitch locations(NodeSettings settings) throws NodeStartException {
    return switch (settings.get(LocationSettings.SNITCH)) {
      case SIMPLE -> EndpointSnitch.single();
      case RACK_INFERRING -> EndpointSnitch.octets();
      case GOSSIPING -> EndpointSnitch.announced();
      case PROPERTY_FILE -> fromFile(settings.get(LocationSettings.TOPOLOGY_FILE));
    };
  }

  /** The data centre and rack that this node announces. */
  static DcRack own(NodeSettings settings) {
    return new DcRack(
        settings.get(LocationSettings.DATACENTER), settings.get(LocationSettings.RACK));
  }

  /**
   * The settings of the configuration file with the snitch that file and command line choose, and
   * with what stands in the file next to the configuration file. The command line still overrides
   * all of them.
   *
   * @throws IllegalArgumentException if a file cannot be used
   */
  static NodeSettings settled(NodeSettings settings, NodeOptions options) {
    Snitch snitch = snitch(settings, options.overriding());
    NodeSettings result = settings.with(LocationSettings.SNITCH, snitch);
    if (snitch == Snitch.GOSSIPING) {
      result = withOwnFile(result, beside(options.storageConf(), OWN));
    }
    if (snitch == Snitch.PROPERTY_FILE && result.get(LocationSettings.TOPOLOGY_FILE).isEmpty()) {
      result =
          result.with(
              LocationSettings.TOPOLOGY_FILE, beside(options.storageConf(), TOPOLOGY).toString());
    }
    return result;
  }

  private static boolean says(SettingValues given, NodeSettings file, Setting<String> place) {
    return given.find(place).isPresent() || !file.get(place).equals(place.defaultValue());
  }

  private static Snitch snitch(NodeSettings settings, SettingValues given) {
    Snitch configured = settings.get(LocationSettings.SNITCH);
    Optional<Snitch> wanted = given.find(LocationSettings.SNITCH);
    if (wanted.isPresent() || configured != Snitch.SIMPLE) {
      return wanted.orElse(configured);
    }
    if (says(given, settings, LocationSettings.DATACENTER)
        || says(given, settings, LocationSettings.RACK)) {
      return Snitch.GOSSIPING;
    }
    return given.find(LocationSettings.TOPOLOGY_FILE).isPresent()
        ? Snitch.PROPERTY_FILE
        : configured;
  }

  private static Path beside(Optional<Path> storageConf, String name) {
    return storageConf.map(conf -> conf.resolveSibling(name)).orElse(Path.of(name));
  }

  private static NodeSettings withOwnFile(NodeSettings settings, Path file) {
    if (!Files.exists(file)) {
      return settings;
    }
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(text(file)));
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read " + file + ": " + e.getMessage(), e);
    }
    DcRack own = own(settings);
    return settings
        .with(LocationSettings.DATACENTER, properties.getProperty("dc", own.datacenter()).strip())
        .with(LocationSettings.RACK, properties.getProperty("rack", own.rack()).strip());
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
