package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.TokenBounds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a scan: keys in the order of the cluster's partitioner, both ends included, or an
 * interval of tokens. Under RandomPartitioner the order is that of hashes, so that only scans of
 * all rows, on from a key, or by tokens make sense there. Immutable.
 *
 * <pre>{@code
 * ColumnFamily<String, String, String> users =
 *     client
 *         .keyspace("Blog")
 *         .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
 * users.insert("ann", "city", "Oslo");
 * users.insert("bob", "city", "Bergen");
 * try (Cursor<String> keys = users.keys(KeyRange.first(100))) {
 *   System.out.println(keys.stream().sorted().toList()); // prints [ann, bob]
 * }
 * }</pre>
 */
public final class KeyRange<K> {

  private static final int NO_LIMIT = 0;

  /** Endpoints: whom to ask, if that matters. */
  private record Tokens(String start, String end, List<Endpoint> endpoints) {}

  private final @Nullable K from;
  private final @Nullable K to;
  private final @Nullable Tokens tokens;
  private final int limit;
  private final boolean emptyRows;

  private KeyRange(
      @Nullable K from, @Nullable K to, @Nullable Tokens tokens, int limit, boolean emptyRows) {
    this.from = from;
    this.to = to;
    this.tokens = tokens;
    this.limit = limit;
    this.emptyRows = emptyRows;
  }

  /** All rows. */
  public static <K> KeyRange<K> all() {
    return new KeyRange<>(null, null, null, NO_LIMIT, false);
  }

  /** The first rows, up to a limit of at least 1. */
  public static <K> KeyRange<K> first(int limit) {
    return KeyRange.<K>all().limit(limit);
  }

  /** From this key on. */
  public static <K> KeyRange<K> from(K key) {
    return new KeyRange<>(key, null, null, NO_LIMIT, false);
  }

  /**
   * The rows whose tokens are after {@code start} and up to {@code end}, as a {@link RingRange} has
   * them. If the end is at or before the start, the interval continues around the end of the ring:
   * from a token to itself is all of it.
   */
  public static <K> KeyRange<K> tokens(String start, String end) {
    return new KeyRange<>(null, null, new Tokens(start, end, List.of()), NO_LIMIT, false);
  }

  /**
   * The rows of a range of the ring, such as that of a {@link Split}. A stream of them is asked of
   * the first of the range's endpoints that this client reaches, which has them itself, and
   * continues at the next when that one fails. Without endpoints it is {@link #tokens}.
   */
  public static <K> KeyRange<K> in(RingRange range) {
    return new KeyRange<>(
        null,
        null,
        new Tokens(range.startToken(), range.endToken(), range.endpoints()),
        NO_LIMIT,
        false);
  }

  /**
   * Ends with this key.
   *
   * @throws IllegalStateException if the ends are tokens
   */
  public KeyRange<K> to(K key) {
    if (tokens != null) {
      throw new IllegalStateException("a range of tokens has no key for its end");
    }
    return new KeyRange<>(from, key, null, limit, emptyRows);
  }

  /**
   * At most this many rows.
   *
   * @throws IllegalArgumentException if not positive
   */
  public KeyRange<K> limit(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("a limit of rows is 1 or more; got " + most);
    }
    return new KeyRange<>(from, to, tokens, most, emptyRows);
  }

  /**
   * Together with rows where the slice finds nothing: those with other entries, and those of which
   * nothing is left but deletions that are not collected yet.
   */
  public KeyRange<K> withEmptyRows() {
    return new KeyRange<>(from, to, tokens, limit, true);
  }

  KeyRange<K> withoutEmptyRows() {
    return new KeyRange<>(from, to, tokens, limit, false);
  }

  boolean includesEmptyRows() {
    return emptyRows;
  }

  /** Whom to ask first, in this order; none if any node will do. */
  List<Endpoint> endpoints() {
    return tokens == null ? List.of() : tokens.endpoints();
  }

  dev.colonnade.v1.KeyRange message(Serializer<K> serializer) {
    dev.colonnade.v1.KeyRange.Builder range = dev.colonnade.v1.KeyRange.newBuilder();
    if (tokens == null) {
      range.setKeys(
          KeyBounds.newBuilder()
              .setStartKey(from == null ? ByteString.EMPTY : Bytes.of(serializer, from))
              .setEndKey(to == null ? ByteString.EMPTY : Bytes.of(serializer, to)));
    } else {
      range.setTokens(
          TokenBounds.newBuilder().setStartToken(tokens.start()).setEndToken(tokens.end()));
    }
    if (limit != NO_LIMIT) {
      range.setCount(limit);
    }
    return range.build();
  }
}
