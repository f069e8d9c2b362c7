package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.server.base.config.SettingOrigin;
import dev.colonnade.server.node.NodeStartException;
import dev.colonnade.server.node.SettingOrigins;
import dev.colonnade.server.node.SettingOrigins.Shown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Lists the settings that a node would start with. */
@Command(
    name = "show",
    description = {
      "Lists all settings that `server` would have with the same options, file and environment,"
          + " and where each value comes from. No setting is itself a secret: passwords and keys"
          + " stand in files that settings name.",
      ""
    },
    sortOptions = false,
    modelTransformer = SettingOptions.class)
public final class ConfShowCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @CommandLine.Mixin private NodeFileOptions files = new NodeFileOptions();

  @Option(
      names = {"-o", "--output"},
      order = -1_998,
      paramLabel = "FORM",
      defaultValue = "classic",
      description = "classic or table, for people; or json, an object for each (default: classic).")
  private String form = "classic";

  @Option(
      names = "--changed",
      order = -1_997,
      description = "Only those whose value is not the default.")
  private boolean changed;

  /** For picocli. */
  public ConfShowCommand() {}

  @Override
  public Integer call() throws CommandException {
    OutputForm output =
        OutputForm.of(form)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(), "--output is classic, table or json, not " + form));
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (Shown shown : shown()) {
      if (changed && shown.origin() == SettingOrigin.DEFAULT) {
        continue;
      }
      lines.add(List.of(shown.setting().name(), shown.described(), origin(shown)));
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("name", shown.setting().name());
      fields.put("value", shown.text());
      fields.put("origin", shown.origin().name().toLowerCase(Locale.ROOT));
      fields.put("element", shown.setting().elementName());
      fields.put("variable", shown.setting().variable());
      fields.put("option", shown.setting().option().name());
      items.add(fields);
    }
    output
        .to(Printer.plain(spec.commandLine().getOut(), spec.commandLine().getErr()))
        .listing(
            new Listing(
                "setting",
                "settings",
                List.of(
                    Listing.Column.words("Setting"),
                    Listing.Column.words("Value"),
                    Listing.Column.words("From")),
                lines,
                items,
                "All settings have their defaults."));
    return CommandLine.ExitCode.OK;
  }

  private List<Shown> shown() throws CommandException {
    try {
      return SettingOrigins.of(files.options(spec, System.getenv()));
    } catch (NodeStartException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    }
  }

  /** As people read it, with what to look for. */
  private static String origin(Shown shown) {
    return switch (shown.origin()) {
      case DEFAULT -> "default";
      case DERIVED -> "derived";
      case FILE -> "file, <" + shown.setting().elementName() + ">";
      case ENVIRONMENT -> "environment, " + shown.setting().variable();
      case OPTION -> "option, " + shown.setting().option().name();
      case RUNTIME -> "changed at run time and kept";
    };
  }
}
