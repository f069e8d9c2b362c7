package dev.colonnade.cli.shell.output;

import java.util.Locale;

/** Text from the store, made safe to be shown on a line. */
public final class Escapes {

  private Escapes() {}

  /**
   * A key, a name or a value as {@link #plain} writes it, with its backslashes doubled. What the
   * shell reads in quotes gives the same text again, if the quotes in it are doubled.
   */
  static String data(String text) {
    return plain(text.indexOf('\\') < 0 ? text : text.replace("\\", "\\\\"));
  }

  /**
   * The text with all characters written out that move a cursor, change colours or turn the
   * direction of writing.
   */
  public static String plain(String text) {
    int first = firstHarmful(text);
    if (first == text.length()) {
      return text;
    }
    StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, first);
    for (int i = first; i < text.length(); i++) {
      char c = text.charAt(i);
      if (harmful(text, i)) {
        append(escaped, c);
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  private static int firstHarmful(String text) {
    int i = 0;
    while (i < text.length() && !harmful(text, i)) {
      i++;
    }
    return i;
  }

  private static boolean harmful(String text, int index) {
    char c = text.charAt(index);
    if (Character.isHighSurrogate(c)) {
      return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return index == 0 || !Character.isHighSurrogate(text.charAt(index - 1));
    }
    return Character.isISOControl(c) || turnsOrBreaks(c);
  }

  /** Marks of direction, separators of lines and paragraphs, and the byte order mark. */
  private static boolean turnsOrBreaks(char c) {
    return c == '\u200e'
        || c == '\u200f'
        || (c >= '\u2028' && c <= '\u202e')
        || (c >= '\u2066' && c <= '\u2069')
        || c == '\u061c'
        || c == '\ufeff';
  }

  private static void append(StringBuilder escaped, char c) {
    switch (c) {
      case '\n' -> escaped.append("\\n");
      case '\r' -> escaped.append("\\r");
      case '\t' -> escaped.append("\\t");
      default -> escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
    }
  }
}
