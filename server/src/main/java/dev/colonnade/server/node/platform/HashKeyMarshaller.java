package dev.colonnade.server.node.platform;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@link HashKey} as 16 bytes. Its name in maps is given by {@link ChronicleKeyIndexes}.
 */
final class HashKeyMarshaller
    implements SizedReader<HashKey>, SizedWriter<HashKey>, ReadResolvable<HashKeyMarshaller> {
  static final HashKeyMarshaller INSTANCE = new HashKeyMarshaller();

  private static final int BYTES = 16;

  private HashKeyMarshaller() {}

  @Override
  public HashKey read(Bytes<?> in, long size, @Nullable HashKey using) {
    HashKey result = using != null ? using : new HashKey();
    result.set(in.readLong(), in.readLong());
    return result;
  }

  @Override
  public long size(HashKey key) {
    return BYTES;
  }

  @Override
  public void write(Bytes<?> out, long size, HashKey key) {
    out.writeLong(key.high());
    out.writeLong(key.low());
  }

  @Override
  public HashKeyMarshaller readResolve() {
    return INSTANCE;
  }
}
