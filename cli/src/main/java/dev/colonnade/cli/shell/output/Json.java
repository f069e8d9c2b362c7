package dev.colonnade.cli.shell.output;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Writes JSON values piece by piece, in ASCII and without line ends. Numbers of 64 bits are text,
 * because most readers keep only 53 bits. After a complete value it may write another one. Not
 * thread-safe.
 */
public final class Json {

  private final Consumer<String> out;
  private int depth;
  private boolean first = true;

  /**
   * Creates a writer.
   *
   * @param out takes each piece as soon as it is written
   */
  public Json(Consumer<String> out) {
    this.out = out;
  }

  /** Begins an object or a list, by its bracket. */
  public Json open(String bracket) {
    separate();
    out.accept(bracket);
    depth++;
    first = true;
    return this;
  }

  /** Ends an object or a list, by its bracket. */
  public Json close(String bracket) {
    out.accept(bracket);
    depth--;
    first = depth == 0;
    return this;
  }

  /** The name of a field, in front of its value. */
  public Json name(String name) {
    separate();
    out.accept(quoted(name) + ":");
    first = true;
    return this;
  }

  /** A text. */
  public Json text(String text) {
    return raw(quoted(text));
  }

  /** A number of 64 bits. */
  public Json number64(long number) {
    return raw("\"" + number + "\"");
  }

  /** A number or a boolean that every reader keeps. */
  Json raw(String json) {
    separate();
    out.accept(json);
    first = depth == 0;
    return this;
  }

  /**
   * A whole value.
   *
   * @param value a map, in the order of its fields; a list; {@link Integer} or {@link Boolean};
   *     {@link Long}, which becomes text; {@link Double}, which becomes null if it is no number; of
   *     anything else the text
   */
  public Json value(Object value) {
    if (value instanceof Map<?, ?> fields) {
      open("{");
      fields.forEach((name, field) -> name(String.valueOf(name)).value(field));
      return close("}");
    } else if (value instanceof List<?> parts) {
      open("[");
      parts.forEach(this::value);
      return close("]");
    } else if (value instanceof Long number) {
      return number64(number);
    } else if (value instanceof Double number) {
      return raw(Double.isFinite(number) ? number.toString() : "null");
    } else if (value instanceof Integer || value instanceof Boolean) {
      return raw(value.toString());
    }
    return text(value.toString());
  }

  private void separate() {
    if (!first) {
      out.accept(",");
    }
    first = false;
  }

  /**
   * The text in quotes. Everything is ASCII then, so that neither the terminal nor its encoding
   * matter.
   */
  private static String quoted(String text) {
    StringBuilder json = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> json.append("\\\"");
        case '\\' -> json.append("\\\\");
        case '\n' -> json.append("\\n");
        case '\r' -> json.append("\\r");
        case '\t' -> json.append("\\t");
        default -> {
          if (c < ' ' || c > '~') {
            json.append("\\u").append(HexFormat.of().toHexDigits(c));
          } else {
            json.append(c);
          }
        }
      }
    }
    return json.append('"').toString();
  }
}
