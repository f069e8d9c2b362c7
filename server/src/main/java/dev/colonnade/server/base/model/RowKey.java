package dev.colonnade.server.base.model;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A row's key with the token that its partitioner gave it. Rows sort by token, then by key, both as
 * unsigned bytes.
 *
 * <p>Immutable; arrays are shared, not copied. The first eight bytes of the token are kept as a
 * number, because comparing keys is most of what finding a row in a memtable costs.
 */
public final class RowKey implements Comparable<RowKey> {

  private static final byte[] EMPTY = new byte[0];

  private final byte[] token;
  private final byte[] key;
  private final long prefix;

  /** Of the key; 0 until it is asked for. It takes no room, because objects end at eight bytes. */
  private int hash;

  /** Joins a key (1 to 65,535 bytes; empty only for bounds) with its token. */
  public RowKey(byte[] token, byte[] key) {
    this.token = token;
    this.key = key;
    this.prefix = prefixOf(token);
  }

  /** A bound that sorts before every row with this token. */
  public static RowKey firstOf(byte[] token) {
    return new RowKey(token, EMPTY);
  }

  /** The token, as its partitioner stores it. */
  public byte[] token() {
    return token;
  }

  /** The key as the client gave it. */
  public byte[] key() {
    return key;
  }

  @Override
  public int compareTo(RowKey other) {
    if (prefix != other.prefix) {
      return Long.compareUnsigned(prefix, other.prefix);
    }
    int byToken = Arrays.compareUnsigned(token, other.token);
    return byToken != 0 ? byToken : Arrays.compareUnsigned(key, other.key);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RowKey that
        && prefix == that.prefix
        && Arrays.equals(key, that.key)
        && Arrays.equals(token, that.token);
  }

  @Override
  public int hashCode() {
    int known = hash;
    if (known == 0) {
      known = Arrays.hashCode(key);
      hash = known;
    }
    return known;
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(key);
  }

  private static long prefixOf(byte[] token) {
    long prefix = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      prefix = prefix << 8 | (i < token.length ? token[i] & 0xff : 0);
    }
    return prefix;
  }
}
