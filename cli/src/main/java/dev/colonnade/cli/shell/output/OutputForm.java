package dev.colonnade.cli.shell.output;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The forms that answers can have. */
public enum OutputForm {
  /** As the old cassandra-cli printed. */
  CLASSIC(ClassicOutput::new),
  /** Aligned columns, for people. */
  TABLE(TableOutput::new),
  /** A JSON object per line, for programs. */
  JSON(JsonOutput::new);

  private final Function<Printer, Output> output;

  OutputForm(Function<Printer, Output> output) {
    this.output = output;
  }

  /** An output of this form. */
  public Output to(Printer printer) {
    return output.apply(printer);
  }

  /** The form of that name, in any case. */
  public static Optional<OutputForm> of(String name) {
    return Arrays.stream(values())
        .filter(form -> form.toString().equalsIgnoreCase(name))
        .findFirst();
  }

  /** All names, for a message. */
  public static String names() {
    return Arrays.stream(values()).map(OutputForm::toString).collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
