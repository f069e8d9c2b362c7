package dev.colonnade.cli;

import dev.colonnade.cli.admin.DamagedCommand;
import dev.colonnade.cli.admin.LogLevelCommand;
import dev.colonnade.cli.local.BenchCommand;
import dev.colonnade.cli.local.CertsCommand;
import dev.colonnade.cli.local.ClassArchiveCommand;
import dev.colonnade.cli.local.ClusterCommand;
import dev.colonnade.cli.local.ConfCommand;
import dev.colonnade.cli.local.DemoCommand;
import dev.colonnade.cli.local.ServerCommand;
import dev.colonnade.cli.local.SnapshotCommand;
import dev.colonnade.cli.local.SnapshotCopiesCommand;
import dev.colonnade.cli.local.SnapshotCopyCommand;
import dev.colonnade.cli.local.SnapshotPruneCommand;
import dev.colonnade.cli.local.SnapshotRestoreCommand;
import dev.colonnade.cli.local.sstable.SSTableCommand;
import dev.colonnade.cli.shell.BulkLoadCommand;
import dev.colonnade.cli.shell.ShellCommand;
import dev.colonnade.cli.shell.VerbCommand;
import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.run.ExitStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands by their names, made one by one. */
final class Commands {

  private static final String ARCHIVE_CLASSES = "archive-classes";
  private static final String COMPLETION = "generate-completion";
  private static final String MANUAL_PAGE = "generate-manpage";
  private static final String HELP = "help";

  /** These explain other commands, and need the model of all. */
  private static final Set<String> ABOUT_OTHERS = Set.of(COMPLETION, MANUAL_PAGE, HELP);

  private static final Set<String> HELP_OPTIONS = Set.of("-h", "--help");

  private Commands() {}

  /** The one command that arguments need, if they need one alone. */
  static Optional<String> named(String[] args) {
    for (String word : args) {
      if (!word.startsWith("-")) {
        return ABOUT_OTHERS.contains(word) || !isCommand(word)
            ? Optional.empty()
            : Optional.of(word);
      }
    }
    return Optional.empty();
  }

  /** Whether arguments can ask for a page of help. */
  static boolean isHelpAsked(String[] args) {
    return List.of(args).stream().anyMatch(HELP_OPTIONS::contains);
  }

  private static boolean isCommand(String word) {
    return word.equals(ARCHIVE_CLASSES)
        || VerbCommand.verbs().contains(word)
        || groups().values().stream().anyMatch(names -> names.contains(word));
  }

  /** Adds all commands, with their pages of help, and lists them below headings. */
  static void addAll(CommandLine root) {
    Set<String> names = new TreeSet<>(VerbCommand.verbs());
    groups().values().forEach(names::addAll);
    Manual manual = Manual.load();
    for (String name : names) {
      add(root, name, Optional.of(manual));
    }
    root.getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new CommandGroups(groups()));
  }

  /**
   * Adds one command.
   *
   * @param explained whether its page of help can be asked for
   */
  static void add(CommandLine root, String name, boolean explained) {
    add(root, name, explained ? Optional.of(Manual.load()) : Optional.empty());
  }

  private static void add(CommandLine root, String name, Optional<Manual> manual) {
    switch (name) {
      case "server" -> root.addSubcommand(name, new CommandLine(new ServerCommand()));
      case "cluster" -> root.addSubcommand(name, new CommandLine(new ClusterCommand()));
      case "demo" -> root.addSubcommand(name, new CommandLine(new DemoCommand()));
      case "bench" -> root.addSubcommand(name, new CommandLine(new BenchCommand()));
      case "certs" -> root.addSubcommand(name, new CommandLine(new CertsCommand()));
      case "conf" -> root.addSubcommand(name, new CommandLine(new ConfCommand()));
      case "sstable" -> root.addSubcommand(name, new CommandLine(new SSTableCommand()));
      case "bulkload" -> {
        root.addSubcommand(name, new CommandLine(new BulkLoadCommand()));
        usage(root, name).exitCodeList(ExitStatus.table());
      }
      case "snapshot" -> addSnapshot(root, name, manual);
      case "loglevel" -> root.addSubcommand(name, new CommandLine(new LogLevelCommand()));
      case "damaged" -> root.addSubcommand(name, new CommandLine(new DamagedCommand()));
      case ARCHIVE_CLASSES ->
          root.addSubcommand(name, new ClassArchiveCommand(Colonnade::commandLine));
      case "shell" -> {
        root.addSubcommand(name, new CommandLine(new ShellCommand()));
        usage(root, name).exitCodeList(ExitStatus.table());
      }
      case COMPLETION -> root.addSubcommand(name, new CommandLine(new CompletionCommand()));
      case MANUAL_PAGE -> root.addSubcommand(name, new CommandLine(new ManualPage()));
      case HELP -> {
        root.addSubcommand(name, new CommandLine.HelpCommand());
        usage(root, name).description("Explains a command.");
      }
      default -> root.addSubcommand(name, VerbCommand.of(name, manual));
    }
  }

  /** Statements of the shell, and what is done without a node. */
  private static void addSnapshot(CommandLine root, String name, Optional<Manual> manual) {
    CommandLine snapshot = new CommandLine(new SnapshotCommand());
    snapshot.addSubcommand("restore", new CommandLine(new SnapshotRestoreCommand()));
    snapshot.addSubcommand("copy", new CommandLine(new SnapshotCopyCommand()));
    snapshot.addSubcommand("copies", new CommandLine(new SnapshotCopiesCommand()));
    snapshot.addSubcommand("prune", new CommandLine(new SnapshotPruneCommand()));
    for (String action : List.of("take", "list", "clear")) {
      snapshot.addSubcommand(action, VerbCommand.of(name, action, manual));
    }
    root.addSubcommand(name, snapshot);
  }

  private static UsageMessageSpec usage(CommandLine root, String name) {
    return Objects.requireNonNull(root.getSubcommands().get(name), name)
        .getCommandSpec()
        .usageMessage();
  }

  /** The headings of the help, with the commands below each. */
  private static Map<String, List<String>> groups() {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    groups.put("Nodes", List.of("server", "cluster", "demo", "bench", "conf", "certs", "sstable"));
    groups.put("Shell", List.of("shell"));
    groups.put(
        "Data",
        List.of(
            "get",
            "multiget",
            "list",
            "keys",
            "count",
            "set",
            "del",
            "touch",
            "truncate",
            "copy",
            "search",
            "bulkload"));
    groups.put("Schema", List.of("describe", "show", "create", "update", "drop"));
    groups.put("Accounts", List.of("whoami", "alter", "grant", "revoke"));
    groups.put(
        "Administration",
        List.of(
            "ring",
            "info",
            "stats",
            "stages",
            "gossip",
            "hints",
            "endpoints",
            "flush",
            "compact",
            "drain",
            "repair",
            "decommission",
            "move",
            "loadbalance",
            "remove",
            "cleanup",
            "scrub",
            "snapshot",
            "damaged",
            "loglevel"));
    groups.put("Command line", List.of(COMPLETION, MANUAL_PAGE, HELP));
    return groups;
  }
}
