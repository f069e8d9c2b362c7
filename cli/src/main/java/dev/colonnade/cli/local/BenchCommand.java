package dev.colonnade.cli.local;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** Measures nodes that it starts itself. */
@Command(
    name = "bench",
    description = "Measures nodes on this machine, which it starts and removes again.",
    subcommands = {BenchClusterCommand.class, BenchTransportCommand.class, BenchLoadCommand.class})
public final class BenchCommand implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** For picocli. */
  public BenchCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }
}
