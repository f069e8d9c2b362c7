package dev.colonnade.server.cluster.net;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;

/** The body of a {@link Frame.FrameKind#FAILURE}: the code's number, then the message. */
final class FailureCodec {
  private static final int MAX_TEXT_CHARS = 2_000;
  private static final int MAX_TEXT_BYTES = 3 * MAX_TEXT_CHARS;
  private static final int MAX_CODE = 1 << 16;

  private FailureCodec() {}

  static byte[] encode(PeerFailure failure) {
    String text = String.valueOf(failure.getMessage());
    ByteWriter writer = new ByteWriter(64);
    writer.writeVarint(failure.code().number());
    writer.writeText(text.length() <= MAX_TEXT_CHARS ? text : text.substring(0, MAX_TEXT_CHARS));
    return writer.toByteArray();
  }

  /** Decodes a peer's failure; {@link PeerFailure.Code#PROTOCOL} if it cannot be read. */
  static PeerFailure decode(byte[] body) {
    try {
      ByteReader reader = new ByteReader(body);
      PeerFailure.Code code = PeerFailure.Code.of(reader.readVarint("code of a failure", MAX_CODE));
      String text = reader.readText("message of a failure", MAX_TEXT_BYTES);
      reader.expectEnd("failure");
      return new PeerFailure(code, text);
    } catch (CorruptDataException unreadable) {
      return new PeerFailure(
          PeerFailure.Code.PROTOCOL,
          "the peer failed, and its reason cannot be read: " + unreadable.getMessage(),
          unreadable);
    }
  }
}
