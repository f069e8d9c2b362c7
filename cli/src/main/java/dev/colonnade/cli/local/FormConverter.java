package dev.colonnade.cli.local;

import dev.colonnade.cli.shell.output.OutputForm;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The value of {@code -o} of benchmarks. */
final class FormConverter implements ITypeConverter<OutputForm> {

  @Override
  public OutputForm convert(String value) {
    return OutputForm.of(value)
        .filter(form -> form != OutputForm.CLASSIC)
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "there is no output " + value + "; there are table and json"));
  }
}
