package dev.colonnade.server.coordinator;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.engine.Mutation;
import dev.colonnade.server.engine.MutationCodec;

/**
 * One row's changes on their way to a replica: a byte of flags, then the mutation as it stands in
 * the log.
 *
 * @param durable whether it goes through the replica's commit log
 */
record MutationMessage(Mutation mutation, boolean durable) {

  private static final int DURABLE = 1;

  byte[] encode() {
    ByteWriter out = new ByteWriter((int) Math.min(1 << 20, mutation.payloadBytes()));
    out.writeByte(durable ? DURABLE : 0);
    MutationCodec.write(mutation, out);
    return out.toByteArray();
  }

  static MutationMessage decode(byte[] body) throws CorruptDataException {
    ByteReader in = new ByteReader(body);
    int flags = in.readByte();
    if ((flags & ~DURABLE) != 0) {
      throw in.corrupt("flags of a write", "0 or 1", "" + flags);
    }
    return new MutationMessage(MutationCodec.read(in), flags == DURABLE);
  }
}
