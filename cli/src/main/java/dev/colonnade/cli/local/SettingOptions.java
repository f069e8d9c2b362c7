package dev.colonnade.cli.local;

import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.RetiredSetting;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.node.NodeOptions;
import java.util.List;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The options of {@code colonnade server} that set a setting of the node, with their help. All of
 * it comes from the declarations of the settings.
 */
final class SettingOptions implements IModelTransformer {

  /** Their order in help: before the options of all commands, which have -1. */
  private static final int FIRST = -1_000;

  /** For picocli. */
  SettingOptions() {}

  @Override
  public CommandSpec transform(CommandSpec command) {
    int order = FIRST;
    for (Setting<?> setting : NodeSettings.ALL) {
      command.addOption(spec(setting, setting.option(), order++));
    }
    for (RetiredSetting retired : RetiredSetting.ALL) {
      command.addOption(
          OptionSpec.builder(retired.option()).arity("1").type(String.class).hidden(true).build());
    }
    return command;
  }

  private static OptionSpec spec(Setting<?> setting, Setting.Option option, int order) {
    OptionSpec.Builder spec =
        OptionSpec.builder(option.name()).order(order).description(description(setting));
    if (option.label().isEmpty()) {
      return spec.arity("0").type(Boolean.class).negatable(true).build();
    }
    spec.arity("1").paramLabel(option.label());
    return setting.defaultValue() instanceof List<?>
        ? spec.type(List.class).auxiliaryTypes(String.class).splitRegex(",").build()
        : spec.type(String.class).build();
  }

  /** What the setting does, its bounds with their unit, its default, and when it counts. */
  static String description(Setting<?> setting) {
    String range = setting.form().range();
    return setting.help()
        + " ("
        + (range.isEmpty() ? "" : range + "; ")
        + "default: "
        + setting.defaultText()
        + (setting.isForFirstStart() ? "; fixed at the first start)" : ")");
  }

  /**
   * Returns the options with the settings that a command line gives.
   *
   * @throws IllegalArgumentException if one of them is malformed or out of bounds
   */
  static NodeOptions given(ParseResult parsed, NodeOptions options) {
    for (RetiredSetting retired : RetiredSetting.ALL) {
      if (parsed.hasMatchedOption(retired.option())) {
        NodeOptions.reportRetired(retired.option(), retired);
      }
    }
    NodeOptions result = options;
    for (Setting<?> setting : NodeSettings.ALL) {
      Object value = parsed.matchedOptionValue(setting.option().name(), (Object) null);
      if (value instanceof List<?> list) {
        result =
            result.withText(setting, String.join(",", list.stream().map(String::valueOf).toList()));
      } else if (value != null) {
        result = result.withText(setting, value.toString());
      }
    }
    return result;
  }
}
