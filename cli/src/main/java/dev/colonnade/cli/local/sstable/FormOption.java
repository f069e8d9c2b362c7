package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.shell.output.OutputForm;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How figures and problems are printed. */
final class FormOption {

  @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "classic",
      description = "classic, for people; or json, an object per line (default: classic).")
  private String form = "";

  /** For picocli. */
  FormOption() {}

  /** Whether the output is JSON. */
  boolean json() {
    return isJson(form, command);
  }

  /**
   * Whether the value of {@code --output} means JSON.
   *
   * @throws ParameterException if it is neither classic nor json
   */
  static boolean isJson(String form, CommandSpec command) {
    return OutputForm.of(form)
            .filter(each -> each != OutputForm.TABLE)
            .orElseThrow(
                () ->
                    new ParameterException(
                        command.commandLine(), "--output is classic or json, not " + form))
        == OutputForm.JSON;
  }
}
