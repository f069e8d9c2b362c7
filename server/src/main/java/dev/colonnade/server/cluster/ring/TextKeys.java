package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.model.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Keys as the strings that the order-preserving partitioners sort. */
final class TextKeys {

  private TextKeys() {}

  static String decode(String partitioner, byte[] key) throws InvalidKeyException {
    int malformed = Utf8.firstMalformed(key);
    if (malformed >= 0) {
      throw new InvalidKeyException(
          String.format(
              Locale.ROOT,
              "%s sorts keys as text, so keys must be well-formed UTF-8; the sequence at byte %d"
                  + " (0x%02x) is not",
              partitioner,
              malformed,
              key[malformed] & 0xff));
    }
    return new String(key, StandardCharsets.UTF_8);
  }
}
