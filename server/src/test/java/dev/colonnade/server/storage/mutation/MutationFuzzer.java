package dev.colonnade.server.storage.mutation;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import java.util.Arrays;

/** Any record of the log is a mutation or is refused, and encodes to the same bytes. */
public final class MutationFuzzer {

  private MutationFuzzer() {}

  /** One input: the payload of a record. */
  public static void fuzzerTestOneInput(byte[] data) throws CorruptDataException {
    Mutation mutation;
    try {
      mutation = MutationCodec.read(new ByteReader(data));
    } catch (CorruptDataException refused) {
      return;
    }
    byte[] written = encoded(mutation);
    byte[] again = encoded(MutationCodec.read(new ByteReader(written)));
    if (!Arrays.equals(written, again)) {
      throw new AssertionError("a mutation changes when it is read back");
    }
  }

  private static byte[] encoded(Mutation mutation) {
    ByteWriter out = new ByteWriter(256);
    MutationCodec.write(mutation, out);
    return out.toByteArray();
  }
}
