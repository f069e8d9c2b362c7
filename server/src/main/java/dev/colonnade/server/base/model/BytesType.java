package dev.colonnade.server.base.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Any bytes. People see text if a name is text, and {@code 0x…} if it is not; a text that itself
 * begins with 0x is shown in hexadecimal too, so that reading it back never changes a name.
 */
final class BytesType implements ColumnComparator {

  private static final String HEX_PREFIX = "0x";

  @Override
  public String typeName() {
    return "BytesType";
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    return Arrays.compareUnsigned(left, right);
  }

  @Override
  public void validate(byte[] name) {}

  @Override
  public String display(byte[] name) {
    if (Utf8.firstMalformed(name) < 0) {
      String text = new String(name, StandardCharsets.UTF_8);
      if (!text.startsWith(HEX_PREFIX) && text.codePoints().allMatch(BytesType::isVisible)) {
        return text;
      }
    }
    return HEX_PREFIX + HexFormat.of().formatHex(name);
  }

  @Override
  public byte[] parse(String text) throws InvalidNameException {
    if (!text.startsWith(HEX_PREFIX)) {
      return NameText.utf8(typeName(), text);
    }
    try {
      return HexFormat.of().parseHex(text, HEX_PREFIX.length(), text.length());
    } catch (IllegalArgumentException e) {
      throw new InvalidNameException(
          "BytesType takes text, or an even number of hexadecimal digits after 0x; got \""
              + NameText.quotable(text)
              + "\"");
    }
  }

  private static boolean isVisible(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
