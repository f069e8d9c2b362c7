package dev.colonnade.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Writes the completion of a command line for fish: a line for each command and each option, with
 * the words after which it can stand.
 */
final class FishCompletion {

  /**
   * Whether the words typed so far are those commands, in their order and from the first on. Words
   * that begin with a hyphen are options.
   */
  private static final String AFTER =
      """
      function __NAME_after
        set -l words (string match -v -- '-*' (commandline -opc))
        test (count $words) -gt (count $argv); or return 1
        for i in (seq (count $argv))
          set -l at (math $i + 1)
          test "$words[$at]" = "$argv[$i]"; or return 1
        end
      end

      function __NAME_alone
        test (count (string match -v -- '-*' (commandline -opc))) -eq 1
      end

      """;

  private final String name;
  private final StringBuilder script = new StringBuilder();

  private FishCompletion(String name) {
    this.name = name;
  }

  /** Returns the script for a command with all that are below it. */
  static String script(CommandSpec root) {
    FishCompletion fish = new FishCompletion(root.name());
    fish.script.append("# Completion of ").append(root.name()).append(" for fish.\n\n");
    fish.script.append(AFTER.replace("NAME", root.name()));
    fish.add(root, List.of());
    return fish.script.toString();
  }

  private void add(CommandSpec command, List<String> path) {
    String condition =
        path.isEmpty() ? "__" + name + "_alone" : "__" + name + "_after " + String.join(" ", path);
    for (Map.Entry<String, CommandLine> below : command.subcommands().entrySet()) {
      CommandSpec spec = below.getValue().getCommandSpec();
      if (!spec.usageMessage().hidden()) {
        line(condition, "-f -a " + quoted(below.getKey()), summary(spec));
      }
    }
    for (OptionSpec option : command.options()) {
      if (!option.hidden()) {
        line(condition, words(option), first(option.description()));
      }
    }
    for (Map.Entry<String, CommandLine> below : command.subcommands().entrySet()) {
      CommandSpec spec = below.getValue().getCommandSpec();
      if (!spec.usageMessage().hidden()) {
        List<String> longer = new ArrayList<>(path);
        longer.add(below.getKey());
        add(spec, longer);
      }
    }
  }

  private static String words(OptionSpec option) {
    StringBuilder words = new StringBuilder();
    for (String each : option.names()) {
      String bare = each.replaceFirst("^--?", "");
      words.append(
          each.startsWith("--") ? " -l " + bare : (bare.length() == 1 ? " -s " : " -o ") + bare);
    }
    return words.substring(1) + (option.arity().max() > 0 ? " -r" : "");
  }

  private void line(String condition, String what, String description) {
    script
        .append("complete -c ")
        .append(name)
        .append(" -n ")
        .append(quoted(condition))
        .append(' ')
        .append(what)
        .append(description.isEmpty() ? "" : " -d " + quoted(description))
        .append('\n');
  }

  private static String summary(CommandSpec spec) {
    return first(spec.usageMessage().description());
  }

  /** The first sentence. */
  private static String first(String[] description) {
    String whole = String.join(" ", description).replace("%n", " ").replace("%%", "%").strip();
    int end = Optional.of(whole.indexOf(". ")).filter(at -> at >= 0).orElse(whole.length());
    return whole.substring(0, end).replaceFirst("\\.$", "");
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
