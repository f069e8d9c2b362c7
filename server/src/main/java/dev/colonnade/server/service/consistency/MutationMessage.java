package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;

/**
 * One row's changes as sent to a replica: a byte of flags, then the mutation with the truncations
 * that its coordinator knew.
 *
 * @param durable whether the replica writes it to its commit log
 */
public record MutationMessage(Mutation mutation, boolean durable) {

  private static final int DURABLE = 1;

  /** A truncation is known of at least one of its families. */
  private static final int STAMPED = 2;

  public byte[] encode() {
    ByteWriter out = new ByteWriter((int) Math.min(1 << 20, mutation.payloadBytes()));
    out.writeByte((durable ? DURABLE : 0) | (MutationCodec.isStamped(mutation) ? STAMPED : 0));
    MutationCodec.writeStamped(mutation, out);
    return out.toByteArray();
  }

  public static MutationMessage decode(byte[] body) throws CorruptDataException {
    ByteReader in = new ByteReader(body);
    int flags = in.readByte();
    Mutation mutation = MutationCodec.readStamped(in);
    if ((flags & ~(DURABLE | STAMPED)) != 0
        || MutationCodec.isStamped(mutation) != ((flags & STAMPED) != 0)) {
      throw in.corrupt("flags of a write", "that it is durable, or stamped", "" + flags);
    }
    return new MutationMessage(mutation, (flags & DURABLE) != 0);
  }
}
