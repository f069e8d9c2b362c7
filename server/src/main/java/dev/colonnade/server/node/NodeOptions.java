package dev.colonnade.server.node;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.SettingValues;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the command line says. Settings that it does not give come from the configuration file, or
 * else from their defaults. Values are checked when the node starts.
 *
 * @param dataDirectory data, commit log and plug-ins are below it unless the file puts them
 *     elsewhere
 * @param storageConf a storage-conf.xml
 * @param replacedNode the id of a dead node that a new node replaces
 * @param given settings, which override those of the file
 */
public record NodeOptions(
    Path dataDirectory,
    Optional<Path> storageConf,
    Optional<String> replacedNode,
    SettingValues given) {

  /** Nothing given: one node on loopback, data under {@code ./data}. */
  public static NodeOptions defaults() {
    return new NodeOptions(Path.of("data"), Optional.empty(), Optional.empty(), SettingValues.NONE);
  }

  /** With another data directory. */
  public NodeOptions withDataDirectory(Path directory) {
    return new NodeOptions(directory, storageConf, replacedNode, given);
  }

  /** With a configuration file. */
  public NodeOptions withStorageConf(Path file) {
    return new NodeOptions(dataDirectory, Optional.of(file), replacedNode, given);
  }

  /** Instead of a dead node. */
  public NodeOptions replacing(String nodeId) {
    return new NodeOptions(dataDirectory, storageConf, Optional.of(nodeId), given);
  }

  /** With a setting. */
  public <T> NodeOptions with(Setting<T> setting, T value) {
    return new NodeOptions(dataDirectory, storageConf, replacedNode, given.with(setting, value));
  }

  /**
   * With the text that an option of the command line gives to a setting.
   *
   * @throws IllegalArgumentException if it is malformed or out of bounds
   */
  public <T> NodeOptions withText(Setting<T> setting, String text) {
    return with(setting, setting.parseOption(text));
  }

  /** Listening on any free ports. */
  public NodeOptions withFreePorts() {
    return with(AddressSettings.CLIENT_PORT, 0)
        .with(AddressSettings.PEER_PORT, 0)
        .with(AddressSettings.HTTP_PORT, 0);
  }
}
