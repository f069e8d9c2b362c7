package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.codec.CorruptDataException;
import java.util.Arrays;

/** Any message of a stream is read or refused, and comes back as it was once it was encoded. */
public final class StreamFuzzer {

  private StreamFuzzer() {}

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
      throw new AssertionError("a message of a stream changes when it is read back");
    }
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
