package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Literal;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Writes literals and names as text that reads as the same, with no more quotes than it takes. */
public final class Names {

  private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");
  private static final Pattern RUN = Pattern.compile("[A-Za-z0-9_.%]+");

  /** Words that would say something else where a name may stand. */
  private static final Set<String> RESERVED = Set.of("cluster", "keyspace", "column", "where");

  private Names() {}

  /**
   * A keyspace or a family: in quotes unless it is a word. Two names of digits with a point between
   * them would read as one number.
   */
  public static String name(String name) {
    boolean bare =
        WORD.matcher(name).matches() && !RESERVED.contains(name.toLowerCase(Locale.ROOT));
    return bare ? name : quoted(name);
  }

  /** A name or a value among options, where digits stand alone: in quotes unless it is a word. */
  public static String option(String text) {
    return NUMBER.matcher(text).matches() ? text : name(text);
  }

  /** A value of an attribute, or a type: in quotes unless it is a word, perhaps with points. */
  static String run(String text) {
    return RUN.matcher(text).matches() ? text : quoted(text);
  }

  /** Text in single quotes. */
  public static String quoted(String text) {
    StringBuilder result = new StringBuilder(text.length() + 2).append('\'');
    text.codePoints().forEach(c -> append(result, c));
    return result.append('\'').toString();
  }

  private static void append(StringBuilder result, int c) {
    switch (c) {
      case '\\', '\'' -> result.append('\\').append((char) c);
      case '\n' -> result.append("\\n");
      case '\t' -> result.append("\\t");
      case '\r' -> result.append("\\r");
      default -> {
        if (Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE) {
          result.append(String.format(Locale.ROOT, "\\u%04x", c));
        } else {
          result.appendCodePoint(c);
        }
      }
    }
  }

  /** A key, name or value as a statement has it. */
  public static String literal(Literal literal) {
    if (literal instanceof Literal.Text text) {
      return text.quoted() ? quoted(text.text()) : text.text();
    } else if (literal instanceof Literal.Numeral numeral) {
      return numeral.digits();
    } else if (literal instanceof Literal.Hex hex) {
      return "0x" + hex.digits();
    }
    Literal.Typed typed = (Literal.Typed) literal;
    return typed.function() + "(" + typed.argument().map(Names::literal).orElse("") + ")";
  }
}
