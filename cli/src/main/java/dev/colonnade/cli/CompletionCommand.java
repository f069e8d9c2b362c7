package dev.colonnade.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Prints a script with which a shell of the system completes commands and options. */
@Command(
    name = "generate-completion",
    description = "Prints a script with which bash, zsh or fish complete commands.")
final class CompletionCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      defaultValue = "bash",
      description = "bash, zsh or fish (default: bash).")
  private String shell = "";

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        switch (shell.toLowerCase(Locale.ROOT)) {
          case "bash", "zsh" -> AutoComplete.bash(spec.root().name(), root) + "\n";
          case "fish" -> FishCompletion.script(spec.root());
          default ->
              throw new ParameterException(
                  spec.commandLine(),
                  "there is no script for " + shell + "; say bash, zsh or fish");
        });
    out.flush();
    return CommandLine.ExitCode.OK;
  }
}
