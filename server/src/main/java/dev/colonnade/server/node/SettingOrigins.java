package dev.colonnade.server.node;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.StorageConf;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.schema.ComparatorResolver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Tells the values that the settings of a node would have, and where each comes from. */
public final class SettingOrigins {

  /** Where a value comes from; later ones override those before. */
  public enum Origin {
    /** It is the default, on this machine and for this data directory. */
    DEFAULT,
    /** It follows from another setting, or from a file that another setting names. */
    DERIVED,
    /** The configuration file. */
    FILE,
    /** A variable of the environment. */
    ENVIRONMENT,
    /** The command line. */
    OPTION
  }

  /**
   * A setting.
   *
   * @param text its value, as it is written
   * @param described its value with its unit, for people
   */
  public record Shown(Setting<?> setting, String text, String described, Origin origin) {}

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
    Optional<StorageConf> conf = Optional.empty();
    if (options.storageConf().isPresent()) {
      conf =
          Optional.of(
              EffectiveSettings.read(
                  options.storageConf().get(), base, ComparatorResolver.builtIns()));
    }
    NodeSettings settings =
        EffectiveSettings.override(conf.map(StorageConf::settings).orElse(base), options);
    Set<Setting<?>> inFile = conf.map(StorageConf::given).orElse(Set.of());
    List<Shown> shown = new ArrayList<>();
    for (Setting<?> setting : NodeSettings.ALL) {
      shown.add(shown(setting, settings, base, inFile, options));
    }
    return shown;
  }

  private static <T> Shown shown(
      Setting<T> setting,
      NodeSettings settings,
      NodeSettings base,
      Set<Setting<?>> inFile,
      NodeOptions options) {
    T value = settings.get(setting);
    Origin origin;
    if (options.given().find(setting).isPresent()) {
      origin = Origin.OPTION;
    } else if (options.environment().find(setting).isPresent()) {
      origin = Origin.ENVIRONMENT;
    } else if (inFile.contains(setting)) {
      origin = Origin.FILE;
    } else {
      origin = value.equals(base.get(setting)) ? Origin.DEFAULT : Origin.DERIVED;
    }
    return new Shown(setting, setting.form().print(value), setting.form().describe(value), origin);
  }
}
