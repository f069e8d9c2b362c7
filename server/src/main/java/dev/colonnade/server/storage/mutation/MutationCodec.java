package dev.colonnade.server.storage.mutation;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes a mutation for a log record, a hint or a message; MutationFormat.md beside this class
 * gives the layout.
 *
 * <p>Thread-safe: it has no state.
 */
public final class MutationCodec {

  private static final int PARTS_MAX = 1 << 16;

  private MutationCodec() {}

  /** Appends the mutation, without a length. */
  public static void write(Mutation mutation, ByteWriter out) {
    out.writeSignedVarint(mutation.nowSeconds());
    RowUpdateCodec.writeKey(mutation.key(), out);
    out.writeVarint(mutation.updates().size());
    for (Mutation.FamilyMutation part : mutation.updates()) {
      out.writeLong(part.family().high());
      out.writeLong(part.family().low());
      int lengthAt = out.reserve(Integer.BYTES);
      int from = out.position();
      RowUpdateCodec.write(part.update(), out);
      out.patchInt(lengthAt, out.position() - from);
    }
  }

  /**
   * Appends the mutation for another time or node, with the truncations that its writer knew of, if
   * any.
   */
  public static void writeStamped(Mutation mutation, ByteWriter out) {
    write(mutation, out);
    if (isStamped(mutation)) {
      mutation.updates().forEach(part -> out.writeVarint(part.truncation()));
    }
  }

  /** Whether truncations go with it. */
  public static boolean isStamped(Mutation mutation) {
    for (Mutation.FamilyMutation part : mutation.updates()) {
      if (part.truncation() != 0) {
        return true;
      }
    }
    return false;
  }

  /** Reads what {@link #writeStamped} wrote, up to the end of the input. */
  public static Mutation readStamped(ByteReader in) throws CorruptDataException {
    Mutation mutation = readPlain(in);
    if (in.remaining() == 0) {
      return mutation;
    }
    List<Mutation.FamilyMutation> parts = new ArrayList<>(mutation.updates().size());
    for (Mutation.FamilyMutation part : mutation.updates()) {
      parts.add(new Mutation.FamilyMutation(part.family(), part.update(), in.readVarint()));
    }
    in.expectEnd("mutation and truncations");
    Mutation stamped = new Mutation(mutation.key(), parts, mutation.nowSeconds());
    if (!isStamped(stamped)) {
      throw in.corrupt("truncations", "a number other than 0", "none");
    }
    return stamped;
  }

  /**
   * Reads a mutation up to the end of the input.
   *
   * @throws CorruptDataException if the input does not end with it, or is no mutation
   */
  public static Mutation read(ByteReader in) throws CorruptDataException {
    Mutation mutation = readPlain(in);
    in.expectEnd("mutation");
    return mutation;
  }

  private static Mutation readPlain(ByteReader in) throws CorruptDataException {
    long nowSeconds = in.readSignedVarint();
    RowKey key = RowUpdateCodec.readKey(in);
    int count = in.readLength("families", PARTS_MAX);
    List<Mutation.FamilyMutation> parts = new ArrayList<>(Math.min(count, 16));
    for (int i = 0; i < count; i++) {
      FamilyId family = new FamilyId(in.readLong(), in.readLong());
      ByteReader body = in.slice(in.readInt());
      parts.add(new Mutation.FamilyMutation(family, RowUpdateCodec.read(body)));
      body.expectEnd("update");
    }
    return new Mutation(key, parts, nowSeconds);
  }
}
