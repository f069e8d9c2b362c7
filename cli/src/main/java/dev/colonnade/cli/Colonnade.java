package dev.colonnade.cli;

import dev.colonnade.cli.admin.DamagedCommand;
import dev.colonnade.cli.local.BenchCommand;
import dev.colonnade.cli.local.ClusterCommand;
import dev.colonnade.cli.local.ConfCommand;
import dev.colonnade.cli.local.DemoCommand;
import dev.colonnade.cli.local.ServerCommand;
import dev.colonnade.cli.shell.ShellCommand;
import dev.colonnade.cli.shell.VerbCommand;
import dev.colonnade.cli.shell.grammar.Spelling;
import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.run.ExitStatus;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root of the command line. It knows the subcommands, and alone prints only help. */
@Command(
    name = "colonnade",
    description = "A distributed wide-column store with super columns, served over gRPC.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:success",
      "1:something failed; one line on standard error says what",
      "2:the command line or a configuration file is invalid"
    },
    subcommands = {
      ServerCommand.class,
      ClusterCommand.class,
      ShellCommand.class,
      DemoCommand.class,
      BenchCommand.class,
      ConfCommand.class,
      DamagedCommand.class,
      GenerateCompletion.class,
      CommandLine.HelpCommand.class
    })
public final class Colonnade implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "When something fails, print the stack trace as well.")
  private boolean debug;

  /** For picocli and {@link #main}. */
  public Colonnade() {}

  /**
   * Runs one command and ends the process with its status: 0 for success, 1 for a failure, 2 for a
   * command line or a configuration that is invalid.
   */
  public static void main(String[] args) {
    LogLevel.quietLibraries();
    int status = commandLine().execute(args);
    LogQueue.drain();
    System.exit(status);
  }

  /** The whole command line: prints one line on standard error for what fails. */
  static CommandLine commandLine() {
    Colonnade root = new Colonnade();
    CommandLine command = new CommandLine(root);
    for (CommandLine subcommand : command.getSubcommands().values()) {
      if (subcommand.getCommand() instanceof ShellCommand) {
        subcommand.getCommandSpec().usageMessage().exitCodeList(ExitStatus.table());
      }
    }
    describe(
        command,
        "generate-completion",
        "Prints a script with which bash and zsh complete commands.");
    describe(command, "help", "Explains a command.");
    Manual manual = Manual.load();
    for (String verb : VerbCommand.verbs()) {
      command.addSubcommand(verb, VerbCommand.of(verb, manual));
    }
    command
        .getHelpSectionMap()
        .put(
            CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST,
            new CommandGroups(groups()));
    return command
        .setExecutionStrategy(Colonnade::runLast)
        .setParameterExceptionHandler((failure, args) -> root.misused(failure))
        .setExecutionExceptionHandler((failure, failed, parsed) -> root.failed(failure, failed));
  }

  /**
   * Otherwise an error would end only the main thread, and other threads could keep the process
   * alive.
   */
  private static int runLast(ParseResult parsed) {
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (Error e) {
      List<CommandLine> chain = parsed.asCommandLineList();
      throw new ExecutionException(chain.get(chain.size() - 1), e.toString(), e);
    }
  }

  private static void describe(CommandLine root, String command, String description) {
    Objects.requireNonNull(root.getSubcommands().get(command), command)
        .getCommandSpec()
        .usageMessage()
        .description(description);
  }

  /** The headings of the help, with the commands below each. */
  private static Map<String, List<String>> groups() {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    groups.put("Nodes", List.of("server", "cluster", "demo", "bench", "conf"));
    groups.put("Shell", List.of("shell"));
    groups.put(
        "Data",
        List.of("get", "multiget", "list", "keys", "count", "set", "del", "touch", "truncate"));
    groups.put("Schema", List.of("describe", "show", "create", "update", "drop"));
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
            "damaged"));
    groups.put("Command line", List.of("generate-completion", "help"));
    return groups;
  }

  /** Called without a command: prints the list of commands. */
  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private int misused(ParameterException failure) {
    CommandLine command = failure.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    complain(command, name + ": " + complaint(failure) + " (see " + name + " --help)", failure);
    return CommandLine.ExitCode.USAGE;
  }

  /** For a word that is not a command: the commands that look like it. */
  private static String complaint(ParameterException failure) {
    if (failure instanceof UnmatchedArgumentException unmatched
        && !unmatched.isUnknownOption()
        && !failure.getCommandLine().getSubcommands().isEmpty()) {
      String written = unmatched.getUnmatched().get(0);
      return "there is no command "
          + written
          + Spelling.nearest(written, failure.getCommandLine().getSubcommands().keySet())
              .map(meant -> "; did you mean " + meant + "?")
              .orElse("");
    }
    return String.valueOf(failure.getMessage());
  }

  private int failed(Exception failure, CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    if (failure instanceof CommandException told) {
      complain(command, name + ": " + told.getMessage(), failure);
      return told.exitStatus();
    }
    Throwable unexpected =
        failure instanceof ExecutionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    complain(
        command,
        name + ": " + unexpected + " (an error in the program; --debug shows where)",
        failure);
    return CommandLine.ExitCode.SOFTWARE;
  }

  private void complain(CommandLine command, String line, Exception failure) {
    PrintWriter err = command.getErr();
    err.println(line.lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse(line));
    if (debug) {
      failure.printStackTrace(err);
    }
    err.flush();
  }
}
