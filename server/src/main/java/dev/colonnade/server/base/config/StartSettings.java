package dev.colonnade.server.base.config;

import java.util.Map;

/**
 * What a node starts with. Immutable.
 *
 * @param configured by defaults, file, environment and command line
 * @param kept changed while an earlier run of the node was running, to be kept; overrides them
 * @param origins where the configured values come from; what is absent is a default
 */
public record StartSettings(
    NodeSettings configured, SettingValues kept, Map<Setting<?>, SettingOrigin> origins) {

  /** Copies the map. */
  public StartSettings {
    origins = Map.copyOf(origins);
  }

  /** Settings of which none was changed, and which count as defaults. */
  public static StartSettings of(NodeSettings settings) {
    return new StartSettings(settings, SettingValues.NONE, Map.of());
  }

  /** The values with which the node starts. */
  public NodeSettings effective() {
    return configured.overriddenBy(kept);
  }

  /** Where the configured value of a setting comes from. */
  public SettingOrigin origin(Setting<?> setting) {
    return origins.getOrDefault(setting, SettingOrigin.DEFAULT);
  }
}
