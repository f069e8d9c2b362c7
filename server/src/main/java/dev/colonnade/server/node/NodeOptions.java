package dev.colonnade.server.node;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.RetiredSetting;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.SettingValues;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the command line says. Settings that it does not give come from the configuration file, or
 * else from their defaults. Values are checked when the node starts.
 *
 * @param dataDirectory data, commit log and plug-ins are below it unless the file puts them
 *     elsewhere
 * @param storageConf a storage-conf.xml
 * @param replacedNode the id of a dead node that a new node replaces
 * @param environment settings of the environment, which override those of the file
 * @param given settings of the command line, which override all others
 */
public record NodeOptions(
    Path dataDirectory,
    Optional<Path> storageConf,
    Optional<String> replacedNode,
    SettingValues environment,
    SettingValues given) {

  private static final Logger LOG = LoggerFactory.getLogger(NodeOptions.class);

  /** {@code --data} and {@code --storage-conf}, and what Kubernetes adds for a service. */
  private static final Pattern OTHER_VARIABLES =
      Pattern.compile(
          Setting.VARIABLE_PREFIX + "(DATA|STORAGE_CONF|PORT(_.*)?|SERVICE_(HOST|PORT(_.*)?))");

  /** Nothing given: one node on loopback, data under {@code ./data}. */
  public static NodeOptions defaults() {
    return new NodeOptions(
        Path.of("data"),
        Optional.empty(),
        Optional.empty(),
        SettingValues.NONE,
        SettingValues.NONE);
  }

  /** With another data directory. */
  public NodeOptions withDataDirectory(Path directory) {
    return new NodeOptions(directory, storageConf, replacedNode, environment, given);
  }

  /** With a configuration file. */
  public NodeOptions withStorageConf(Path file) {
    return new NodeOptions(dataDirectory, Optional.of(file), replacedNode, environment, given);
  }

  /** Instead of a dead node. */
  public NodeOptions replacing(String nodeId) {
    return new NodeOptions(dataDirectory, storageConf, Optional.of(nodeId), environment, given);
  }

  /** With a setting. */
  public <T> NodeOptions with(Setting<T> setting, T value) {
    return new NodeOptions(
        dataDirectory, storageConf, replacedNode, environment, given.with(setting, value));
  }

  /**
   * With what the environment says: the variables of settings, {@link Setting#variable}. Those that
   * are empty count as absent.
   *
   * @param variables of the process
   * @throws IllegalArgumentException if a value is malformed or out of bounds, or no setting has
   *     such a variable; variables that Kubernetes sets for a service of that name are passed over
   */
  public NodeOptions withEnvironment(Map<String, String> variables) {
    Map<String, String> unread = new TreeMap<>(variables);
    unread.keySet().removeIf(name -> !name.startsWith(Setting.VARIABLE_PREFIX));
    SettingValues values = environment;
    for (Setting<?> setting : NodeSettings.ALL) {
      String text = unread.remove(setting.variable());
      if (text != null && !text.isEmpty()) {
        values = withVariable(values, setting, text);
      }
    }
    unread.keySet().removeIf(name -> OTHER_VARIABLES.matcher(name).matches());
    for (RetiredSetting retired : RetiredSetting.ALL) {
      if (unread.remove(retired.variable()) != null) {
        reportRetired(retired.variable(), retired);
      }
    }
    if (!unread.isEmpty()) {
      throw new IllegalArgumentException(
          "no setting has the variable " + unread.keySet().iterator().next() + "; see conf show");
    }
    return new NodeOptions(dataDirectory, storageConf, replacedNode, values, given);
  }

  /** Logs that a setting of an earlier release was given, under that name, and has no effect. */
  public static void reportRetired(String given, RetiredSetting retired) {
    LOG.warn("{} has no effect: {}. Remove it", given, retired.reason());
  }

  private static <T> SettingValues withVariable(
      SettingValues values, Setting<T> setting, String text) {
    return values.with(setting, setting.parseVariable(text));
  }

  /** What overrides the file: the environment, overridden by the command line. */
  SettingValues overriding() {
    SettingValues all = environment;
    for (Setting<?> setting : given.settings()) {
      all = copied(all, setting);
    }
    return all;
  }

  private <T> SettingValues copied(SettingValues to, Setting<T> setting) {
    return to.with(setting, given.find(setting).orElseThrow());
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
