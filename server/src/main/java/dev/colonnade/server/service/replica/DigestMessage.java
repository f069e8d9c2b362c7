package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;

/** A digest between nodes: its sixteen bytes. */
public final class DigestMessage {

  private DigestMessage() {}

  public static byte[] encode(Hash128 digest) {
    ByteWriter out = new ByteWriter(2 * Long.BYTES);
    out.writeLong(digest.high());
    out.writeLong(digest.low());
    return out.toByteArray();
  }

  public static Hash128 decode(byte[] body) throws CorruptDataException {
    ByteReader in = new ByteReader(body);
    Hash128 digest = new Hash128(in.readLong(), in.readLong());
    in.expectEnd("digest");
    return digest;
  }
}
