package dev.colonnade.cli;

import dev.colonnade.cli.admin.DamagedCommand;
import dev.colonnade.cli.local.ConfCommand;
import dev.colonnade.cli.local.DemoCommand;
import dev.colonnade.cli.local.ServerCommand;
import dev.colonnade.cli.shell.ShellCommand;
import dev.colonnade.cli.shell.run.ExitStatus;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** The root of the command line: knows the subcommands, and by itself only helps. */
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
      "0:all went well",
      "1:something failed; one line on standard error says what",
      "2:the command line or a configuration file makes no sense"
    },
    subcommands = {
      ServerCommand.class,
      ShellCommand.class,
      DemoCommand.class,
      ConfCommand.class,
      DamagedCommand.class
    })
public final class Colonnade implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "When something fails, show where in the program.")
  private boolean debug;

  /** For picocli and {@link #main}. */
  public Colonnade() {}

  /**
   * Runs one command and ends the process with its status: 0 for success, 1 for a failure, 2 for a
   * command line or a configuration that makes no sense.
   */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
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
    return command
        .setParameterExceptionHandler((failure, args) -> root.misused(failure))
        .setExecutionExceptionHandler((failure, failed, parsed) -> root.failed(failure, failed));
  }

  /** Called without a command: shows what there is. */
  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private int misused(ParameterException failure) {
    CommandLine command = failure.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    complain(command, name + ": " + failure.getMessage() + " (see " + name + " --help)", failure);
    return CommandLine.ExitCode.USAGE;
  }

  private int failed(Exception failure, CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    if (failure instanceof CommandException told) {
      complain(command, name + ": " + told.getMessage(), failure);
      return told.exitStatus();
    }
    complain(
        command,
        name + ": " + failure + " (an error in the program; --debug shows where)",
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
