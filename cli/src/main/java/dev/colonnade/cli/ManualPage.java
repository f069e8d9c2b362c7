package dev.colonnade.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Prints the page of the command line for {@code man}, from the model of all commands. */
@Command(
    name = "generate-manpage",
    description = "Prints the page of this command for man; save it as colonnade.1.")
final class ManualPage implements Callable<Integer> {

  /** Its options are those of all commands that ask a node. */
  private static final String ASKING = "get";

  @CommandLine.Spec private CommandSpec spec;

  private final StringBuilder page = new StringBuilder();

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(of(spec.root()));
    spec.commandLine().getOut().flush();
    return CommandLine.ExitCode.OK;
  }

  private String of(CommandSpec root) {
    CommandSpec asking =
        Objects.requireNonNull(root.subcommands().get(ASKING), ASKING).getCommandSpec();
    page.append(".TH \"COLONNADE\" \"1\" \"\" \"Colonnade\" \"Colonnade\"\n");
    heading("NAME");
    text(root.name() + " - " + described(root).replaceFirst("\\.$", ""));
    heading("SYNOPSIS");
    page.append(".B ").append(escaped(root.name())).append("\n[OPTIONS] COMMAND [ARGUMENT ...]\n");
    heading("OPTIONS");
    root.options().forEach(this::argument);
    heading("OPTIONS OF COMMANDS THAT ASK A NODE");
    Set<String> known = names(root);
    asking.options().stream()
        .filter(option -> !known.contains(option.longestName()))
        .forEach(this::argument);
    known.addAll(names(asking));
    heading("COMMANDS");
    commands(root, known);
    heading("EXIT STATUS");
    for (Map.Entry<String, String> status : statuses(asking).entrySet()) {
      item("B " + status.getKey(), status.getValue());
    }
    heading("ENVIRONMENT");
    item(
        "B COLONNADE_HOST, COLONNADE_PORT", "The node that commands ask, unless options name one.");
    item("B JAVA_HOME", "The Java to use; without it the one on the PATH.");
    item("B COLONNADE_HEAP", "The most memory for Java's heap, such as 2g.");
    item("B JAVA_OPTS", "More options for Java.");
    item("B COLONNADE_HISTORY, COLONNADE_PROFILE", "Files of the shell, instead of those below.");
    item("B NO_COLOR", "If it is set, output has no colours.");
    heading("FILES");
    item("I ~/.colonnade/history", "Statements typed in the shell.");
    item("I ~/.colonnade/profile", "Statements that the shell begins with.");
    return page.toString();
  }

  private void commands(CommandSpec parent, Set<String> known) {
    for (Map.Entry<String, CommandLine> each : parent.subcommands().entrySet()) {
      CommandSpec command = each.getValue().getCommandSpec();
      if (command.usageMessage().hidden()) {
        continue;
      }
      String arguments =
          command.positionalParameters().stream()
              .map(argument -> " " + label(argument))
              .distinct()
              .collect(Collectors.joining());
      page.append(".SS \"").append(escaped(command.qualifiedName() + arguments)).append("\"\n");
      text(described(command));
      command.positionalParameters().forEach(this::argument);
      command.options().stream()
          .filter(option -> !known.contains(option.longestName()))
          .forEach(this::argument);
      List<String> footer = new ArrayList<>();
      for (String line : command.usageMessage().footer()) {
        footer.add(plain(line));
      }
      if (!String.join("", footer).isBlank()) {
        page.append(".PP\n.nf\n");
        footer.forEach(line -> page.append(line(line)).append('\n'));
        page.append(".fi\n");
      }
      commands(command, known);
    }
  }

  private static Map<String, String> statuses(CommandSpec command) {
    return command.usageMessage().exitCodeList();
  }

  private static Set<String> names(CommandSpec command) {
    return command.options().stream()
        .map(OptionSpec::longestName)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private void argument(ArgSpec argument) {
    if (!argument.hidden()) {
      String names =
          argument instanceof OptionSpec option
              ? String.join(", ", option.names())
                  + (option.arity().max() > 0 ? " " + label(option) : "")
              : label(argument);
      item("B \"" + escaped(names) + "\"", joined(argument.description()));
    }
  }

  private static String label(ArgSpec argument) {
    return argument.paramLabel();
  }

  private void heading(String title) {
    page.append(".SH \"").append(title).append("\"\n");
  }

  private void item(String head, String description) {
    page.append(".TP\n.").append(head).append('\n');
    text(description);
  }

  private void text(String words) {
    page.append(line(words)).append('\n');
  }

  private static String described(CommandSpec command) {
    return joined(command.usageMessage().description());
  }

  private static String joined(String[] paragraphs) {
    return plain(String.join(" ", paragraphs)).replaceAll("\\s+", " ").strip();
  }

  /** Without what picocli replaces. */
  private static String plain(String text) {
    return text.replace("%n", " ").replace("%%", "%");
  }

  /** A line that is not taken for a request. */
  private static String line(String words) {
    String line = escaped(words);
    return line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line;
  }

  /** In ASCII, which every reader of such pages understands. */
  private static String escaped(String words) {
    return words
        .replace("\\", "\\e")
        .replace("-", "\\-")
        .replace("\"", "\\(dq")
        .codePoints()
        .mapToObj(
            c -> c < 0x7f ? Character.toString(c) : String.format(Locale.ROOT, "\\[u%04X]", c))
        .collect(Collectors.joining());
  }
}
