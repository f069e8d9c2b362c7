package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import java.util.ArrayList;
import java.util.List;

/** The body of verb HINT: the number of mutations, then each with its length. */
final class HintMessage {
  private static final int HINTS_MAX = 1 << 16;

  private HintMessage() {}

  static byte[] encode(List<byte[]> mutations) {
    int bytes = 16;
    for (byte[] mutation : mutations) {
      bytes += mutation.length + 5;
    }
    ByteWriter out = new ByteWriter(bytes);
    out.writeVarint(mutations.size());
    for (byte[] mutation : mutations) {
      out.writeBytes(mutation);
    }
    return out.toByteArray();
  }

  static List<Mutation> decode(byte[] body) throws CorruptDataException {
    ByteReader in = new ByteReader(body);
    int count = in.readLength("hints", HINTS_MAX);
    List<Mutation> mutations = new ArrayList<>(Math.min(count, 256));
    for (int i = 0; i < count; i++) {
      int length = in.readLength("a hint", HintSettings.LARGEST_HINT_BYTES);
      mutations.add(MutationCodec.readStamped(in.slice(length)));
    }
    in.expectEnd("message of hints");
    return mutations;
  }
}
