package dev.colonnade.connectors.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;

/** Bytes as texts. */
final class Bytes {

  private static final int SHOWN = 40;

  private Bytes() {}

  /** A text that is equal when the bytes are. */
  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** For people: the text if it is short and printable, and otherwise hexadecimal digits. */
  static String show(byte[] bytes) {
    if (bytes.length <= SHOWN) {
      try {
        String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        if (text.chars().noneMatch(Character::isISOControl)) {
          return text;
        }
      } catch (CharacterCodingException e) {
        return "0x" + hex(bytes);
      }
    }
    String digits = hex(bytes);
    return "0x" + digits.substring(0, Math.min(2 * SHOWN, digits.length()));
  }

  /** A text of the same bytes, for sets and maps. */
  static String id(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }
}
