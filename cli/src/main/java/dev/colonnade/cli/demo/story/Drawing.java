package dev.colonnade.cli.demo.story;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Draws answers as the articles do: nested braces, names without quotes where they are words, text
 * in quotes. What fits on a line stays on one, except for the outermost braces.
 */
public final class Drawing {

  private static final String INDENT = "  ";
  private static final int MOST_IN_A_LINE = 90;

  /** Longer text is for the reader of the application, not of the walkthrough. */
  private static final int LONGEST_TEXT = 60;

  /** Of long answers the first entries are shown, and how many more there are. */
  private static final int MOST_ENTRIES = 12;

  private static final Pattern WORD = Pattern.compile("[\\p{Alnum}_.:@+-]+");

  private Drawing() {}

  /**
   * Lines of a drawing.
   *
   * @param value a map, a collection, an optional, a number, a boolean, or anything with a text
   */
  public static List<String> of(Object value) {
    List<String> lines = new ArrayList<>();
    draw("", value, "", true, lines);
    return lines;
  }

  /** The same on one line, however long. */
  public static String inOneLine(Object value) {
    if (value instanceof Optional<?> optional) {
      return optional.isPresent() ? inOneLine(optional.get()) : "(nothing)";
    }
    if (value instanceof Map<?, ?> map) {
      List<String> parts = new ArrayList<>();
      map.forEach((name, inner) -> parts.add(name(name) + ": " + inOneLine(inner)));
      return "{" + String.join(", ", parts) + "}";
    }
    if (value instanceof Collection<?> list) {
      return "[" + String.join(", ", list.stream().map(Drawing::inOneLine).toList()) + "]";
    }
    return value instanceof Number || value instanceof Boolean
        ? value.toString()
        : quoted(value.toString());
  }

  private static void draw(
      String label, Object value, String end, boolean outermost, List<String> lines) {
    if (value instanceof Optional<?> optional && optional.isPresent()) {
      draw(label, optional.get(), end, outermost, lines);
      return;
    }
    String line = label + inOneLine(value) + end;
    boolean opens = outermost && value instanceof Map<?, ?> map && map.size() > 1;
    if (!opens && line.length() <= MOST_IN_A_LINE) {
      lines.add(line);
    } else if (value instanceof Map<?, ?> map) {
      lines.add(label + "{");
      draw(map.entrySet(), lines);
      lines.add("}" + end);
    } else if (value instanceof Collection<?> list) {
      lines.add(label + "[");
      draw(list, lines);
      lines.add("]" + end);
    } else {
      lines.add(line);
    }
  }

  private static void draw(Collection<?> entries, List<String> lines) {
    List<String> inner = new ArrayList<>();
    int shown = 0;
    for (Object entry : entries) {
      if (shown++ == MOST_ENTRIES) {
        inner.add("... and " + (entries.size() - MOST_ENTRIES) + " more");
        break;
      }
      if (entry instanceof Map.Entry<?, ?> pair) {
        draw(name(pair.getKey()) + ": ", pair.getValue(), ",", false, inner);
      } else {
        draw("", entry, ",", false, inner);
      }
    }
    inner.forEach(line -> lines.add(INDENT + line));
  }

  private static String name(Object name) {
    String text = String.valueOf(name);
    return WORD.matcher(text).matches() ? text : quoted(text);
  }

  private static String quoted(String text) {
    String shown =
        text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT - 3) + "...";
    StringBuilder escaped = new StringBuilder("\"");
    for (int i = 0; i < shown.length(); i++) {
      char c = shown.charAt(i);
      if (c == '"' || c == '\\') {
        escaped.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.append('"').toString();
  }
}
