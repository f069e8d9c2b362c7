package dev.colonnade.server.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a suite has counted, for those who write a report: a line of JSON in the file that the
 * property {@code colonnade.figures} names. Nothing happens without that property.
 */
public final class Figures {

  private static final String SETTING = "colonnade.figures";

  private Figures() {}

  /**
   * Appends a line; to be called when nothing was wrong.
   *
   * @param suite what was run, in a few words
   * @param counts texts without quotation marks, or numbers
   */
  public static void write(String suite, Map<String, Object> counts) {
    String file = System.getProperty(SETTING);
    if (file == null) {
      return;
    }
    Map<String, Object> line = new TreeMap<>(counts);
    line.put("what", suite);
    String json =
        line.entrySet().stream()
            .map(entry -> '"' + entry.getKey() + "\":" + value(entry.getValue()))
            .collect(Collectors.joining(",", "{", "}\n"));
    try {
      Files.writeString(
          Path.of(file),
          json,
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String value(Object value) {
    return value instanceof Number ? value.toString() : '"' + value.toString() + '"';
  }
}
