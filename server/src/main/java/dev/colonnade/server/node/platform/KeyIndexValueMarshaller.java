package dev.colonnade.server.node.platform;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@link KeyIndexValue} as 8 bytes. Its name in maps is given by {@link
 * ChronicleKeyIndexes}.
 */
final class KeyIndexValueMarshaller
    implements SizedReader<KeyIndexValue>,
        SizedWriter<KeyIndexValue>,
        ReadResolvable<KeyIndexValueMarshaller> {
  static final KeyIndexValueMarshaller INSTANCE = new KeyIndexValueMarshaller();

  private static final int BYTES = 8;

  private KeyIndexValueMarshaller() {}

  @Override
  public KeyIndexValue read(Bytes<?> in, long size, @Nullable KeyIndexValue using) {
    KeyIndexValue result = using != null ? using : new KeyIndexValue();
    result.set(in.readLong());
    return result;
  }

  @Override
  public long size(KeyIndexValue position) {
    return BYTES;
  }

  @Override
  public void write(Bytes<?> out, long size, KeyIndexValue position) {
    out.writeLong(position.position());
  }

  @Override
  public KeyIndexValueMarshaller readResolve() {
    return INSTANCE;
  }
}
