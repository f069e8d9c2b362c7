package dev.colonnade.cli;

import dev.colonnade.cli.shell.grammar.Spelling;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root of the command line. Alone it prints only help. */
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
    if (Version.isAsked(args)) {
      // Without picocli, which takes longer to start than Java does.
      for (String line : Version.lines()) {
        System.out.println(line);
      }
      return;
    }
    LogLevel.quietLibraries();
    int status = commandLine(args).execute(args);
    LogQueue.drain();
    System.exit(status);
  }

  /** The whole command line: prints one line on standard error for what fails. */
  static CommandLine commandLine() {
    return commandLine(new String[0]);
  }

  /**
   * The part of the command line that arguments need. A model of all commands takes longer to build
   * than most of them to run, so where the first word is a command, there is that one alone.
   */
  static CommandLine commandLine(String[] args) {
    Colonnade root = new Colonnade();
    CommandLine command = new CommandLine(root);
    Optional<String> one = Commands.named(args);
    if (one.isPresent()) {
      Commands.add(command, one.get(), Commands.isHelpAsked(args));
    } else {
      Commands.addAll(command);
    }
    return command
        .setExecutionStrategy(Colonnade::runLast)
        .setParameterExceptionHandler((failure, arguments) -> root.misused(failure))
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
