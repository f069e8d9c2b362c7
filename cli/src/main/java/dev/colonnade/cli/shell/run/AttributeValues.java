package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.statement.Attribute;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads values of attributes. Whether they are in range, the node says. */
final class AttributeValues {

  private AttributeValues() {}

  static int wholeNumber(Attribute attribute) throws StatementFailure {
    try {
      return Integer.parseInt(attribute.value());
    } catch (NumberFormatException e) {
      throw wrong(attribute, "a whole number", e);
    }
  }

  static double number(Attribute attribute) throws StatementFailure {
    try {
      return Double.parseDouble(attribute.value());
    } catch (NumberFormatException e) {
      throw wrong(attribute, "a number", e);
    }
  }

  static Duration seconds(Attribute attribute) throws StatementFailure {
    return Duration.ofSeconds(wholeNumber(attribute));
  }

  static boolean truth(Attribute attribute) throws StatementFailure {
    if (attribute.value().equalsIgnoreCase("true")) {
      return true;
    }
    if (attribute.value().equalsIgnoreCase("false")) {
      return false;
    }
    throw wrong(attribute, "true or false", null);
  }

  /** {@code {dc1:3, dc2:2}} or, as older scripts have it, {@code [{dc1:3, dc2:2}]}. */
  static Map<String, Integer> numbers(Attribute attribute) throws StatementFailure {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    for (Map.Entry<String, String> option : attribute.options().entrySet()) {
      try {
        numbers.put(option.getKey(), Integer.parseInt(option.getValue()));
      } catch (NumberFormatException e) {
        throw wrong(attribute, "a map of whole numbers such as {dc1:3, dc2:2}", e);
      }
    }
    if (numbers.isEmpty()) {
      throw wrong(attribute, "a map of whole numbers such as {dc1:3, dc2:2}", null);
    }
    return numbers;
  }

  private static StatementFailure wrong(
      Attribute attribute, String wanted, @Nullable Exception cause) {
    return StatementFailure.of(
        ExitStatus.STATEMENT_FAILED,
        "REFUSED",
        attribute.name() + " is " + wanted + "; got " + attribute.value(),
        cause);
  }
}
