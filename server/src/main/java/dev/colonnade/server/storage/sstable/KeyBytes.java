package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.RowKey;
import java.util.Arrays;

/** A row key in a block (token, then key), compared in place. */
final class KeyBytes {
  private KeyBytes() {}

  /** Compares the key at the reader's position with another, and passes over it or not. */
  static int compare(ByteReader reader, RowKey other) throws CorruptDataException {
    int comparison = compareNext(reader, other.token());
    return comparison != 0 ? comparison : compareNext(reader, other.key());
  }

  static void skip(ByteReader reader) throws CorruptDataException {
    reader.skip(reader.readLength("token", Integer.MAX_VALUE));
    reader.skip(reader.readLength("key", Integer.MAX_VALUE));
  }

  private static int compareNext(ByteReader reader, byte[] other) throws CorruptDataException {
    int length = reader.readLength("token or key", Integer.MAX_VALUE);
    int from = reader.arrayPosition();
    reader.skip(length);
    return Arrays.compareUnsigned(reader.array(), from, from + length, other, 0, other.length);
  }
}
