package dev.colonnade.server.node;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.SettingOrigin;
import dev.colonnade.server.base.config.StartSettings;
import dev.colonnade.server.base.config.StorageConf;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.schema.ComparatorResolver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells the values that the settings of a node would have, and where each comes from. */
public final class SettingOrigins {

  /**
   * A setting.
   *
   * @param text its value, as it is written
   * @param described its value with its unit, for people
   */
  public record Shown(Setting<?> setting, String text, String described, SettingOrigin origin) {}

  private SettingOrigins() {}

  /**
   * Lists all settings in the order of their declarations. Reads the configuration file, and
   * nothing of a node.
   *
   * @throws NodeStartException if a node could not start with them; the message says why
   */
  public static List<Shown> of(NodeOptions options) throws NodeStartException {
    NodeSettings base =
        EffectiveSettings.base(options, MemoryPlan.forHeap(Runtime.getRuntime().maxMemory()));
    StorageConf conf =
        options.storageConf().isPresent()
            ? EffectiveSettings.read(
                options.storageConf().get(), base, ComparatorResolver.builtIns())
            : new StorageConf(base, List.of(), List.of(), Set.of());
    StartSettings start = start(options, base, conf);
    return NodeSettings.ALL.stream().map(setting -> shown(setting, start)).toList();
  }

  private static <T> Shown shown(Setting<T> setting, StartSettings start) {
    T value = start.effective().get(setting);
    return new Shown(
        setting,
        setting.form().print(value),
        setting.form().describe(value),
        start.kept().find(setting).isPresent() ? SettingOrigin.RUNTIME : start.origin(setting));
  }

  /** What a node starts with, and where it comes from. */
  static StartSettings start(NodeOptions options, NodeSettings base, StorageConf conf)
      throws NodeStartException {
    NodeSettings configured = EffectiveSettings.override(conf.settings(), options);
    Map<Setting<?>, SettingOrigin> origins = new HashMap<>();
    for (Setting<?> setting : NodeSettings.ALL) {
      origins.put(setting, origin(setting, configured, base, conf, options));
    }
    return new StartSettings(configured, EffectiveSettings.kept(configured), origins);
  }

  private static <T> SettingOrigin origin(
      Setting<T> setting,
      NodeSettings configured,
      NodeSettings base,
      StorageConf conf,
      NodeOptions options) {
    if (options.given().find(setting).isPresent()) {
      return SettingOrigin.OPTION;
    }
    if (options.environment().find(setting).isPresent()) {
      return SettingOrigin.ENVIRONMENT;
    }
    if (conf.given().contains(setting)) {
      return SettingOrigin.FILE;
    }
    return configured.get(setting).equals(base.get(setting))
        ? SettingOrigin.DEFAULT
        : SettingOrigin.DERIVED;
  }
}
