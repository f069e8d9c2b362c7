package dev.colonnade.cli.local.sstable;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;

/**
 * Bytes as a value of JSON: text if they are UTF-8, else an object with the field base64. So each
 * value has one meaning, and each sequence of bytes one value.
 */
final class BytesField {
  static final String BASE64 = "base64";

  private BytesField() {}

  static Object value(byte[] bytes) {
    return value(bytes, 0, bytes.length);
  }

  static Object value(byte[] bytes, int offset, int length) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, offset, length))
          .toString();
    } catch (CharacterCodingException binary) {
      byte[] exact = Arrays.copyOfRange(bytes, offset, offset + length);
      return Map.of(BASE64, Base64.getEncoder().encodeToString(exact));
    }
  }
}
