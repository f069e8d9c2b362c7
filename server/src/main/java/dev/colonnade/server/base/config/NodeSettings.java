package dev.colonnade.server.base.config;

import java.util.List;
import java.util.Optional;

/**
 * The values of all settings of a node: those that were given, and defaults for the rest. Immutable
 * and checked. {@link #DEFAULT} is a complete node on loopback.
 */
public final class NodeSettings {

  /** All settings, by subject. */
  public static final List<SettingGroup> GROUPS =
      List.of(
          AddressSettings.GROUP,
          TlsSettings.GROUP,
          DirectorySettings.GROUP,
          ClusterSettings.GROUP,
          LocationSettings.GROUP,
          ReplicationSettings.GROUP,
          BulkLoadSettings.GROUP,
          CommitLogOptions.GROUP,
          StorageSettings.GROUP,
          RequestSettings.GROUP,
          ConnectionSettings.GROUP,
          AccessSettings.GROUP,
          HealthSettings.GROUP,
          TelemetrySettings.GROUP);

  /** All settings. */
  public static final List<Setting<?>> ALL =
      GROUPS.stream().<Setting<?>>flatMap(group -> group.settings().stream()).toList();

  /** One node, reachable from its own machine only, with everything below {@code ./data}. */
  public static final NodeSettings DEFAULT = new NodeSettings(SettingValues.NONE);

  /** Only values that differ from their defaults, so that equal settings have equal values. */
  private final SettingValues changed;

  private NodeSettings(SettingValues changed) {
    this.changed = changed;
    DirectorySettings.check(this);
  }

  /** The setting of that name, if there is one. */
  public static Optional<Setting<?>> named(String name) {
    return ALL.stream().filter(setting -> setting.name().equals(name)).findFirst();
  }

  /** The value of a setting. */
  public <T> T get(Setting<T> setting) {
    return changed.find(setting).orElse(setting.defaultValue());
  }

  /**
   * Returns these settings with another value of one.
   *
   * @throws IllegalArgumentException if the value is out of bounds, or does not go with the others
   */
  public <T> NodeSettings with(Setting<T> setting, T value) {
    setting.form().check(setting.name(), value);
    return new NodeSettings(
        value.equals(setting.defaultValue())
            ? changed.without(setting)
            : changed.with(setting, value));
  }

  /**
   * Returns these settings with the values that were given to override them.
   *
   * @throws IllegalArgumentException as {@link #with}
   */
  public NodeSettings overriddenBy(SettingValues given) {
    NodeSettings result = this;
    for (Setting<?> setting : given.settings()) {
      result = result.overriddenBy(given, setting);
    }
    return result;
  }

  private <T> NodeSettings overriddenBy(SettingValues given, Setting<T> setting) {
    T value = given.find(setting).orElseThrow();
    Optional<Setting<T>> other =
        setting.alsoSets().filter(also -> !given.settings().contains(also));
    NodeSettings result = with(setting, value);
    return other.isPresent() ? result.with(other.get(), value) : result;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NodeSettings that && changed.equals(that.changed);
  }

  @Override
  public int hashCode() {
    return changed.hashCode();
  }

  /** The settings that differ from their defaults. */
  @Override
  public String toString() {
    return changed.toString();
  }
}
