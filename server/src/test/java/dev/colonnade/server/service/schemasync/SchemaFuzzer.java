package dev.colonnade.server.service.schemasync;

import dev.colonnade.server.base.codec.CorruptDataException;
import java.util.Arrays;

/**
 * Any message of the schema, and of a truncation, is read or refused, and comes back as it was once
 * it was encoded.
 */
public final class SchemaFuzzer {

  private SchemaFuzzer() {}

  /** One input: a byte that says which message it is, and its body. */
  public static void fuzzerTestOneInput(byte[] data) throws CorruptDataException {
    if (data.length == 0) {
      return;
    }
    byte[] body = Arrays.copyOfRange(data, 1, data.length);
    byte[] written;
    try {
      written = again(data[0], body);
    } catch (CorruptDataException refused) {
      return;
    }
    if (!Arrays.equals(written, again(data[0], written))) {
      throw new AssertionError("a message of the schema changes when it is read back");
    }
  }

  private static byte[] again(int message, byte[] body) throws CorruptDataException {
    return switch (message & 3) {
      case 0 -> SchemaCodec.encode(SchemaCodec.decodeRows(body));
      case 1 -> SchemaCodec.encode(SchemaCodec.decodeQuestion(body));
      case 2 -> SchemaCodec.encode(SchemaCodec.decodePage(body));
      default -> TruncationCodec.encode(TruncationCodec.decodeStep(body));
    };
  }
}
