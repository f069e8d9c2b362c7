package dev.colonnade.cli.shell.statement;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code name = value} after {@code with} or {@code and}.
 *
 * @param name in lower case, of several names for the same the first that the vocabulary has
 * @param value as written, without quotes; of a map or a list of maps, one map as {@code {a: b}}
 * @param options the entries of a map or of a list of maps, in their order, without quotes; empty
 *     for a plain value
 */
public record Attribute(Position position, String name, String value, Map<String, String> options) {

  /** Copies the map. */
  public Attribute {
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }
}
