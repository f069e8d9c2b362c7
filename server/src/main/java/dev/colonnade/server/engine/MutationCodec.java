package dev.colonnade.server.engine;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.RowKey;
import java.util.ArrayList;
import java.util.List;

/**
 * A mutation as bytes in a log record, a hint or a message; MutationFormat.md beside this class
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
    for (Mutation.Part part : mutation.updates()) {
      out.writeLong(part.family().high());
      out.writeLong(part.family().low());
      int lengthAt = out.reserve(Integer.BYTES);
      int from = out.position();
      RowUpdateCodec.write(part.update(), out);
      out.patchInt(lengthAt, out.position() - from);
    }
  }

  /**
   * Reads a mutation that takes all that remains.
   *
   * @throws CorruptDataException if it does not, or is none
   */
  public static Mutation read(ByteReader in) throws CorruptDataException {
    long nowSeconds = in.readSignedVarint();
    RowKey key = RowUpdateCodec.readKey(in);
    int count = in.readLength("families", PARTS_MAX);
    List<Mutation.Part> parts = new ArrayList<>(Math.min(count, 16));
    for (int i = 0; i < count; i++) {
      FamilyId family = new FamilyId(in.readLong(), in.readLong());
      ByteReader body = in.slice(in.readInt());
      parts.add(new Mutation.Part(family, RowUpdateCodec.read(body)));
      body.expectEnd("update");
    }
    in.expectEnd("mutation");
    return new Mutation(key, parts, nowSeconds);
  }
}
