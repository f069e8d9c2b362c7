package dev.colonnade.server.node.platform;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@link RowPosition} as 8 bytes. Chronicle stores the name of this class in each map's
 * header.
 */
final class RowPositionMarshaller
    implements SizedReader<RowPosition>,
        SizedWriter<RowPosition>,
        ReadResolvable<RowPositionMarshaller> {
  static final RowPositionMarshaller INSTANCE = new RowPositionMarshaller();

  private static final int BYTES = 8;

  private RowPositionMarshaller() {}

  @Override
  public RowPosition read(Bytes<?> in, long size, @Nullable RowPosition using) {
    RowPosition result = using != null ? using : new RowPosition();
    result.set(in.readLong());
    return result;
  }

  @Override
  public long size(RowPosition position) {
    return BYTES;
  }

  @Override
  public void write(Bytes<?> out, long size, RowPosition position) {
    out.writeLong(position.position());
  }

  @Override
  public RowPositionMarshaller readResolve() {
    return INSTANCE;
  }
}
