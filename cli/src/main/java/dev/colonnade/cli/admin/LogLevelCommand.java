package dev.colonnade.cli.admin;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Output;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.LogLevel;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Shows and changes how much a node logs while it runs. */
@Command(
    name = "loglevel",
    description = {
      "Shows which loggers of a running node have levels of their own, or changes a level: until"
          + " the next change, or until the node's process ends. COLONNADE_LOG_LEVEL sets the level"
          + " at its start.",
      ""
    })
public final class LogLevelCommand implements Callable<Integer> {

  private static final String INHERIT = "INHERIT";

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "LOGGER",
      description =
          "ROOT, a package or a class, such as dev.colonnade.server.cluster; all that have levels"
              + " are listed without it.")
  private @Nullable String logger;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "LEVEL",
      description =
          "OFF, ERROR, WARN, INFO, DEBUG or TRACE; or INHERIT, to follow the logger above it"
              + " again.")
  private @Nullable String level;

  @Mixin private NodeClientOptions node = new NodeClientOptions();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "classic",
      description = "classic, for people; or json, an object per line (default: classic).")
  private String form = "";

  /** For picocli. */
  public LogLevelCommand() {}

  @Override
  public Integer call() throws CommandException {
    String address = node.address(spec.commandLine());
    if (logger != null && level == null) {
      throw refusal("give a level as well: OFF, ERROR, WARN, INFO, DEBUG, TRACE or INHERIT");
    }
    OutputForm output =
        OutputForm.of(form)
            .filter(each -> each != OutputForm.TABLE)
            .orElseThrow(() -> refusal("--output is classic or json, not " + form));
    String wanted = level == null ? "" : level.toUpperCase(Locale.ROOT);
    LogLevel known = wanted.isEmpty() || wanted.equals(INHERIT) ? null : known(wanted);
    PrintWriter out = spec.commandLine().getOut();
    Output answers = output.to(Printer.plain(out, spec.commandLine().getErr()));
    try (Colonnade client = Colonnade.connect(address, node.client())) {
      if (logger == null) {
        list(client.node().logLevels(), output, answers, out);
      } else if (known == null) {
        client.node().resetLogLevel(logger);
        answers.done(logger + " follows the logger above it");
      } else {
        client.node().setLogLevel(logger, known);
        answers.done(logger + " logs at " + known + ", until the process ends");
      }
      out.flush();
      return CommandLine.ExitCode.OK;
    } catch (ColonnadeException e) {
      throw CommandException.failed(address + " answers: " + e.getMessage(), e);
    }
  }

  private LogLevel known(String wanted) {
    for (LogLevel each : LogLevel.values()) {
      if (each.name().equals(wanted)) {
        return each;
      }
    }
    throw refusal(
        "there is no level " + level + ": give OFF, ERROR, WARN, INFO, DEBUG, TRACE or INHERIT");
  }

  private ParameterException refusal(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private static void list(
      Map<String, LogLevel> levels, OutputForm output, Output answers, PrintWriter out) {
    if (output == OutputForm.JSON) {
      List<Map<String, Object>> items = new ArrayList<>();
      levels.forEach(
          (name, each) -> {
            Map<String, Object> item = new LinkedHashMap<>();
            item.put("logger", name);
            item.put("level", each.name());
            items.add(item);
          });
      answers.listing(new Listing("logger_level", "loggers", List.of(), List.of(), items, ""));
    } else {
      levels.forEach((name, each) -> out.printf(Locale.ROOT, "%-5s %s%n", each, name));
    }
  }
}
