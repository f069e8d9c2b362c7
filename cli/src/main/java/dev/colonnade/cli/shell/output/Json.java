package dev.colonnade.cli.shell.output;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes one JSON value piece by piece, on one line. */
final class Json {

  private final Printer printer;
  private boolean first = true;

  Json(Printer printer) {
    this.printer = printer;
  }

  Json open(String bracket) {
    separate();
    printer.print(bracket);
    first = true;
    return this;
  }

  Json close(String bracket) {
    printer.print(bracket);
    first = false;
    return this;
  }

  /** The name of a field, in front of its value. */
  Json name(String name) {
    separate();
    printer.print(quoted(name)).print(":");
    first = true;
    return this;
  }

  Json text(String text) {
    return raw(quoted(text));
  }

  /** A number of 64 bits, as text, because most readers keep only 53 of them. */
  Json number64(long number) {
    return raw("\"" + number + "\"");
  }

  /** A number or a boolean that every reader keeps. */
  Json raw(String json) {
    separate();
    printer.print(json);
    first = false;
    return this;
  }

  /** A value of a {@link Listing}: numbers of 64 bits as text, and null for what is no number. */
  Json value(Object value) {
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

  /** Ends the line. */
  void end() {
    printer.line("");
    printer.flush();
  }

  private void separate() {
    if (!first) {
      printer.print(",");
    }
    first = false;
  }

  /**
   * The text in quotes. Everything is ASCII then, so that neither the terminal nor its encoding
   * matter.
   */
  static String quoted(String text) {
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
            json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            json.append(c);
          }
        }
      }
    }
    return json.append('"').toString();
  }
}
