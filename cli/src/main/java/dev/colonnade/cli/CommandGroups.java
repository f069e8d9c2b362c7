package dev.colonnade.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;

/** Lists the commands under headings, because there are many. */
final class CommandGroups implements IHelpSectionRenderer {

  private static final int INDENT = 2;
  private static final int GAP = 3;

  private final Map<String, List<String>> groups;

  /**
   * Headings with the names of commands; a command in none of them is listed last.
   *
   * @param groups in the order of the help
   */
  CommandGroups(Map<String, List<String>> groups) {
    this.groups = new LinkedHashMap<>(groups);
  }

  @Override
  public String render(Help help) {
    Map<String, Help> commands = new LinkedHashMap<>(help.subcommands());
    int widest = commands.keySet().stream().mapToInt(String::length).max().orElse(0);
    StringBuilder text = new StringBuilder();
    groups.forEach((heading, names) -> append(text, help, heading, names, commands, widest));
    append(text, help, "Other", List.copyOf(commands.keySet()), commands, widest);
    return text.toString();
  }

  private static void append(
      StringBuilder text,
      Help help,
      String heading,
      List<String> names,
      Map<String, Help> commands,
      int widest) {
    int width = help.commandSpec().usageMessage().width();
    TextTable table =
        TextTable.forColumns(
            help.colorScheme(),
            new Column(widest + INDENT + GAP, INDENT, Column.Overflow.SPAN),
            new Column(width - widest - INDENT - GAP, 0, Column.Overflow.WRAP));
    table.setAdjustLineBreaksForWideCJKCharacters(true);
    boolean any = false;
    for (String name : names) {
      Help command = commands.remove(name);
      if (command != null && !command.commandSpec().usageMessage().hidden()) {
        String[] description = command.commandSpec().usageMessage().description();
        table.addRowValues(
            help.colorScheme().commandText(name),
            help.colorScheme().text(description.length == 0 ? "" : description[0]));
        any = true;
      }
    }
    if (any) {
      text.append("%n%s:%n".formatted(heading)).append(table);
    }
  }
}
