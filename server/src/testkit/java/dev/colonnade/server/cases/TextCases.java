package dev.colonnade.server.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The cases of a file in {@code src/test/resources/testdata}, as Pebble's and etcd's {@code
 * testdata} have them:
 *
 * <pre>
 * # a comment
 * command name=value name=value
 * lines of input
 * ----
 * what is expected, up to the next empty line
 * </pre>
 *
 * <p>The commands of a file are run in order, so one may build on those before it. With {@code
 * -Dcolonnade.testdata.rewrite=true} the expected answers are replaced by the actual ones, to be
 * read and committed.
 */
public final class TextCases {
  private static final Path FOLDER = Path.of("src/test/resources/testdata");
  private static final String SEPARATOR = "----";

  private TextCases() {}

  /**
   * A case.
   *
   * @param line where it stands in the file, from 1
   * @param command its first word
   * @param arguments the rest of its first line
   * @param input the lines up to the separator
   */
  public record Case(int line, String command, Map<String, String> arguments, List<String> input) {

    /** The argument of that name; fails if the case does not have it. */
    public String argument(String name) {
      return Objects.requireNonNull(
          arguments.get(name), () -> "line " + line + ": " + command + " needs " + name + "=");
    }

    /** The argument of that name, or what it is if it is left out. */
    public String argument(String name, String otherwise) {
      return arguments.getOrDefault(name, otherwise);
    }
  }

  /**
   * Runs all cases of a file and compares.
   *
   * @param answer says what a case gives: lines, or nothing
   */
  public static void check(String file, Function<Case, List<String>> answer) throws IOException {
    Path path = FOLDER.resolve(file);
    List<String> lines = Files.readAllLines(path);
    List<String> actual = new ArrayList<>();
    int cases = 0;
    int at = 0;
    while (at < lines.size()) {
      String line = lines.get(at);
      if (line.isBlank() || line.startsWith("#")) {
        actual.add(line);
        at++;
        continue;
      }
      cases++;
      int separator = at;
      while (separator < lines.size() && !lines.get(separator).equals(SEPARATOR)) {
        separator++;
      }
      int end = separator;
      while (end < lines.size() && !lines.get(end).isBlank()) {
        end++;
      }
      actual.addAll(lines.subList(at, Math.min(separator, lines.size())));
      actual.add(SEPARATOR);
      actual.addAll(answer.apply(parse(at + 1, lines.subList(at, separator))));
      at = end;
    }
    assertFalse(cases == 0, path + " has no cases");
    if (Boolean.getBoolean("colonnade.testdata.rewrite")) {
      Files.write(path, actual);
    } else {
      assertEquals(
          String.join("\n", lines),
          String.join("\n", actual),
          path + ": run with -Dcolonnade.testdata.rewrite=true to take over the new answers");
    }
  }

  private static Case parse(int number, List<String> lines) {
    String[] words = lines.get(0).strip().split(" +", -1);
    Map<String, String> arguments = new TreeMap<>();
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("line " + number + ": not name=value: " + words[i]);
      }
      arguments.put(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    return new Case(number, words[0], arguments, List.copyOf(lines.subList(1, lines.size())));
  }
}
