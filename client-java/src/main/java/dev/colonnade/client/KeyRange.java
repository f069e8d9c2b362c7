package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.KeyBounds;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a scan: keys in the order of the cluster's partitioner, both ends included. Under
 * RandomPartitioner that is the order of hashes, so that only scans of all rows, or on from a key,
 * make sense there. Immutable.
 */
public final class KeyRange<K> {

  private static final int NO_LIMIT = 0;

  private final @Nullable K from;
  private final @Nullable K to;
  private final int limit;

  private KeyRange(@Nullable K from, @Nullable K to, int limit) {
    this.from = from;
    this.to = to;
    this.limit = limit;
  }

  /** All rows. */
  public static <K> KeyRange<K> all() {
    return new KeyRange<>(null, null, NO_LIMIT);
  }

  /** The first so many rows, at least 1. */
  public static <K> KeyRange<K> first(int limit) {
    return KeyRange.<K>all().limit(limit);
  }

  /** From this key on. */
  public static <K> KeyRange<K> from(K key) {
    return new KeyRange<>(key, null, NO_LIMIT);
  }

  /** Ends with this key. */
  public KeyRange<K> to(K key) {
    return new KeyRange<>(from, key, limit);
  }

  /**
   * At most so many rows.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KeyRange<K> limit(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("a limit of rows is 1 or more; got " + most);
    }
    return new KeyRange<>(from, to, most);
  }

  dev.colonnade.v1.KeyRange message(Serializer<K> serializer) {
    dev.colonnade.v1.KeyRange.Builder range =
        dev.colonnade.v1.KeyRange.newBuilder()
            .setKeys(
                KeyBounds.newBuilder()
                    .setStartKey(from == null ? ByteString.EMPTY : Bytes.of(serializer, from))
                    .setEndKey(to == null ? ByteString.EMPTY : Bytes.of(serializer, to)));
    if (limit != NO_LIMIT) {
      range.setCount(limit);
    }
    return range.build();
  }
}
