package dev.colonnade.server.node.platform;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@link BucketNumber} as 4 bytes. Its name in maps is given by {@link
 * ChronicleKeyIndexes}.
 */
final class BucketNumberMarshaller
    implements SizedReader<BucketNumber>,
        SizedWriter<BucketNumber>,
        ReadResolvable<BucketNumberMarshaller> {
  static final BucketNumberMarshaller INSTANCE = new BucketNumberMarshaller();

  private static final int BYTES = 4;

  private BucketNumberMarshaller() {}

  @Override
  public BucketNumber read(Bytes<?> in, long size, @Nullable BucketNumber using) {
    BucketNumber result = using != null ? using : new BucketNumber();
    result.set(in.readInt());
    return result;
  }

  @Override
  public long size(BucketNumber number) {
    return BYTES;
  }

  @Override
  public void write(Bytes<?> out, long size, BucketNumber number) {
    out.writeInt(number.number());
  }

  @Override
  public BucketNumberMarshaller readResolve() {
    return INSTANCE;
  }
}
