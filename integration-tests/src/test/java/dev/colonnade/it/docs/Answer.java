package dev.colonnade.it.docs;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Compares what a page shows with what was printed. An ellipsis in a line stands for any characters
 * of that line, a line of nothing but an ellipsis for any number of lines.
 */
final class Answer {

  private static final String ANYTHING = "…";

  /** Microseconds since 1970 by the present clock, which no page can know. */
  private static final Pattern CLOCK = Pattern.compile("(?<=timestamp[=\":{2} ]{1,4})\\d{16}\\b");

  private Answer() {}

  static boolean matches(String shown, String printed) {
    return pattern(shown).matcher(lines(printed)).matches();
  }

  /** What a page should show of what was printed, with the clock's part left open. */
  static String shown(String printed) {
    return CLOCK.matcher(lines(printed)).replaceAll(ANYTHING);
  }

  private static Pattern pattern(String shown) {
    String regex =
        Arrays.stream(lines(shown).split("\n", -1))
            .map(
                line ->
                    line.equals(ANYTHING)
                        ? "(?:.*\n)*?.*"
                        : Arrays.stream(line.split(ANYTHING, -1))
                            .map(Pattern::quote)
                            .collect(Collectors.joining(".*")))
            .collect(Collectors.joining("\n"));
    return Pattern.compile(regex);
  }

  /** Without blanks at the ends of lines and empty lines at both ends. */
  private static String lines(String text) {
    List<String> lines = text.lines().map(String::stripTrailing).toList();
    return String.join("\n", lines).strip();
  }
}
