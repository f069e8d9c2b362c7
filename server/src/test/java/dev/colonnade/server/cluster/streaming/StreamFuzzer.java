package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Reencoding;

/** Any message of a stream is read or refused, and comes back as it was once it was encoded. */
public final class StreamFuzzer {

  private StreamFuzzer() {}

  /** One input: a byte that says which message it is, and its body. */
  public static void fuzzerTestOneInput(byte[] data) throws CorruptDataException {
    Reencoding.check(data, "a stream", StreamFuzzer::again);
  }

  private static byte[] again(int message, byte[] body) throws CorruptDataException {
    return switch (message & 3) {
      case 0 -> StreamCodec.encode(StreamCodec.decodeOpen(body));
      case 1 -> StreamCodec.encode(StreamCodec.decodeClose(body));
      case 2 -> StreamCodec.encode(StreamCodec.decodeWanted(body));
      default -> StreamMessages.StreamChunk.decode(body).encode();
    };
  }
}
