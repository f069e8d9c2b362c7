package dev.colonnade.cli.admin;

import dev.colonnade.cli.shell.output.Output;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The form of a command's answer. */
final class AnswerOptions {

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "classic",
      description = "classic or table, for people; or json, an object per line (default: classic).")
  private String form = "";

  /** Where the answer goes. */
  Output output(CommandLine command) {
    return OutputForm.of(form)
        .orElseThrow(
            () ->
                new ParameterException(command, "--output is classic, table or json, not " + form))
        .to(Printer.plain(command.getOut(), command.getErr()));
  }
}
