package dev.colonnade.server.service.schemasync;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Reencoding;

/**
 * Any message of the schema, and of a truncation, is read or refused, and comes back as it was once
 * it was encoded.
 */
public final class SchemaFuzzer {

  private SchemaFuzzer() {}

  /** One input: a byte that says which message it is, and its body. */
  public static void fuzzerTestOneInput(byte[] data) throws CorruptDataException {
    Reencoding.check(data, "the schema", SchemaFuzzer::again);
  }

  private static byte[] again(int message, byte[] body) throws CorruptDataException {
    return switch (message & 3) {
      case 0 -> SchemaCodec.encode(SchemaCodec.decodeRows(body));
      case 1 -> SchemaCodec.encode(SchemaCodec.decodeQuery(body));
      case 2 -> SchemaCodec.encode(SchemaCodec.decodePage(body));
      default -> TruncationCodec.encode(TruncationCodec.decodeStep(body));
    };
  }
}
