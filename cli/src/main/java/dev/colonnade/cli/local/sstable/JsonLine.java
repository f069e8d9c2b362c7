package dev.colonnade.cli.local.sstable;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;

/**
 * Writes one line of JSON, in ASCII. Numbers of 64 bits are text, because many readers keep only 53
 * bits of a number. Bytes are text if they are UTF-8, else an object with the field base64: so each
 * way of writing has one meaning, and each sequence of bytes one way of writing.
 */
final class JsonLine {
  static final String BASE64 = "base64";

  private final StringBuilder json = new StringBuilder();
  private boolean first = true;

  JsonLine open(char bracket) {
    separate();
    json.append(bracket);
    first = true;
    return this;
  }

  JsonLine close(char bracket) {
    json.append(bracket);
    first = false;
    return this;
  }

  /** The name of a field, in front of its value. */
  JsonLine name(String name) {
    separate();
    quote(name);
    json.append(':');
    first = true;
    return this;
  }

  JsonLine text(String text) {
    separate();
    quote(text);
    return this;
  }

  JsonLine number64(long number) {
    return text(Long.toString(number));
  }

  JsonLine number(int number) {
    separate();
    json.append(number);
    return this;
  }

  JsonLine fraction(double number) {
    separate();
    json.append(number);
    return this;
  }

  JsonLine truth(boolean truth) {
    separate();
    json.append(truth);
    return this;
  }

  JsonLine bytes(byte[] bytes, int offset, int length) {
    try {
      return text(
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes, offset, length))
              .toString());
    } catch (CharacterCodingException binary) {
      byte[] exact = Arrays.copyOfRange(bytes, offset, offset + length);
      return open('{').name(BASE64).text(Base64.getEncoder().encodeToString(exact)).close('}');
    }
  }

  JsonLine bytes(byte[] bytes) {
    return bytes(bytes, 0, bytes.length);
  }

  int length() {
    return json.length();
  }

  /** The line, without its end; begins another. */
  String take() {
    String line = json.toString();
    json.setLength(0);
    first = true;
    return line;
  }

  private void separate() {
    if (!first) {
      json.append(',');
    }
    first = false;
  }

  private void quote(String text) {
    json.append('"');
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
    json.append('"');
  }
}
