package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A request to another node to load rows into its caches: the family's id, whether their data is
 * wanted, then the keys with their tokens. The answer is a byte for each key, 1 if there is such a
 * row.
 */
public record TouchMessage(FamilyId family, boolean loadData, List<RowKey> keys) {

  private static final int KEYS_MAX = 1 << 20;

  /** Copies the list. */
  public TouchMessage {
    keys = List.copyOf(keys);
  }

  public byte[] encode() {
    ByteWriter out = new ByteWriter(64 + 32 * keys.size());
    out.writeLong(family.high());
    out.writeLong(family.low());
    out.writeByte(loadData ? 1 : 0);
    out.writeVarint(keys.size());
    for (RowKey key : keys) {
      out.writeBytes(key.token());
      out.writeBytes(key.key());
    }
    return out.toByteArray();
  }

  public static TouchMessage decode(byte[] body) throws CorruptDataException {
    ByteReader in = new ByteReader(body);
    FamilyId family = new FamilyId(in.readLong(), in.readLong());
    boolean loadData = in.readVarint("whether data is wanted", 1) == 1;
    int count = in.readLength("keys", KEYS_MAX);
    List<RowKey> keys = new ArrayList<>(Math.min(count, 1_024));
    for (int i = 0; i < count; i++) {
      keys.add(
          new RowKey(
              in.readBytes("token", DataLimits.KEY_TOKEN_BYTES),
              in.readBytes("row key", DataLimits.KEY_BYTES)));
    }
    in.expectEnd("keys to touch");
    return new TouchMessage(family, loadData, keys);
  }

  public static byte[] encodeAnswer(BitSet found, int keys) {
    byte[] answer = new byte[keys];
    for (int i = 0; i < keys; i++) {
      answer[i] = (byte) (found.get(i) ? 1 : 0);
    }
    return answer;
  }

  /** Decodes the answer about this many keys; keys missing from it were not found. */
  public static BitSet decodeAnswer(byte[] answer, int keys) {
    BitSet found = new BitSet(keys);
    for (int i = 0; i < Math.min(keys, answer.length); i++) {
      found.set(i, answer[i] == 1);
    }
    return found;
  }
}
