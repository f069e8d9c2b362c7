package dev.colonnade.server.node.platform;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.util.ReadResolvable;
import net.openhft.chronicle.hash.serialization.SizedReader;
import net.openhft.chronicle.hash.serialization.SizedWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@link KeyBucket}, and looks for one row when it reads one. Its name in maps is given by
 * {@link ChronicleKeyIndexes}.
 */
final class KeyBucketMarshaller
    implements SizedReader<KeyBucket>, SizedWriter<KeyBucket>, ReadResolvable<KeyBucketMarshaller> {
  static final KeyBucketMarshaller INSTANCE = new KeyBucketMarshaller();

  private KeyBucketMarshaller() {}

  @Override
  public KeyBucket read(Bytes<?> in, long size, @Nullable KeyBucket using) {
    KeyBucket result = using != null ? using : new KeyBucket();
    result.read(in, size);
    return result;
  }

  @Override
  public long size(KeyBucket bucket) {
    return bucket.encodedBytes();
  }

  @Override
  public void write(Bytes<?> out, long size, KeyBucket bucket) {
    bucket.write(out);
  }

  @Override
  public KeyBucketMarshaller readResolve() {
    return INSTANCE;
  }
}
