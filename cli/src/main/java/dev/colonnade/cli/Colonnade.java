package dev.colonnade.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The root of the command line: knows the subcommands, and by itself only helps. */
@Command(
    name = "colonnade",
    description = "A distributed wide-column store with super columns, served over gRPC.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {})
public final class Colonnade implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** For picocli and {@link #main}. */
  public Colonnade() {}

  /**
   * Runs one command and ends the process with its status: 0 for success, 1 for a failure, 2 for a
   * command line that makes no sense.
   */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Colonnade()).execute(args));
  }

  /** Called without a command: shows what there is. */
  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
