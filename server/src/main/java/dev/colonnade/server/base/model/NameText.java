package dev.colonnade.server.base.model;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;

/** What the name types share for parsing text and for error messages. */
final class NameText {

  /** Longer texts are cut in messages: the caller knows what it sent. */
  private static final int QUOTED_CHARACTERS = 60;

  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private NameText() {}

  static String quotable(String text) {
    return text.length() <= QUOTED_CHARACTERS
        ? text
        : text.substring(0, QUOTED_CHARACTERS) + "… (" + text.length() + " characters)";
  }

  /** Refuses a lone surrogate rather than turning it into a question mark. */
  static byte[] utf8(String typeName, String text) throws InvalidNameException {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new InvalidNameException(typeName + " takes text without lone surrogates");
    }
  }

  static byte[] uuid(String typeName, String text) throws InvalidNameException {
    if (text.isEmpty()) {
      return new byte[0];
    }
    if (!UUID_TEXT.matcher(text).matches()) {
      throw new InvalidNameException(
          typeName
              + " takes a UUID such as 13814000-1dd2-11b2-8080-808080808080; got \""
              + quotable(text)
              + "\"");
    }
    UUID uuid = UUID.fromString(text);
    return ByteBuffer.allocate(16)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }

  static String displayUuid(byte[] name) {
    return name.length == 0
        ? ""
        : new UUID(NameNumbers.at(name, 0), NameNumbers.at(name, 8)).toString();
  }

  static void requireLength(String typeName, byte[] name, int length) throws InvalidNameException {
    if (name.length != 0 && name.length != length) {
      throw new InvalidNameException(
          typeName + " names have " + length + " bytes; this one has " + name.length);
    }
  }
}
