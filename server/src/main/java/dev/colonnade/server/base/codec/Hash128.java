package dev.colonnade.server.base.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * MurmurHash3 in its 128-bit form for 64-bit machines, seed 0: the hash by which a data file's key
 * index and Bloom filter find a row key. It is stored in files, so it can never change. Not
 * cryptographic: a client that chooses the keys can produce collisions, so a lookup by hash must
 * compare the key itself.
 */
public record Hash128(long high, long low) {
  private static final VarHandle LITTLE_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long C1 = 0x87c37b91114253d5L;
  private static final long C2 = 0x4cf5ad432745937fL;

  /** The hash of all the bytes. */
  public static Hash128 of(byte[] bytes) {
    return of(bytes, 0, bytes.length);
  }

  /** The hash of a range of bytes. */
  public static Hash128 of(byte[] bytes, int offset, int length) {
    return of(bytes, offset, length, 0);
  }

  static Hash128 of(byte[] bytes, int offset, int length, int seed) {
    long h1 = seed & 0xFFFFFFFFL;
    long h2 = h1;
    int blocksEnd = offset + (length & ~15);
    for (int at = offset; at < blocksEnd; at += 16) {
      h1 ^= mixFirst((long) LITTLE_LONG.get(bytes, at));
      h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
      h2 ^= mixSecond((long) LITTLE_LONG.get(bytes, at + 8));
      h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    int tail = length & 15;
    if (tail > 8) {
      h2 ^= mixSecond(littleEndian(bytes, blocksEnd + 8, tail - 8));
    }
    if (tail > 0) {
      h1 ^= mixFirst(littleEndian(bytes, blocksEnd, Math.min(8, tail)));
    }
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    h2 += h1;
    return new Hash128(h1, h2);
  }

  private static long littleEndian(byte[] bytes, int at, int count) {
    long value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = value << 8 | (bytes[at + i] & 0xFF);
    }
    return value;
  }

  private static long mixFirst(long block) {
    return Long.rotateLeft(block * C1, 31) * C2;
  }

  private static long mixSecond(long block) {
    return Long.rotateLeft(block * C2, 33) * C1;
  }

  private static long finish(long hash) {
    long mixed = hash ^ (hash >>> 33);
    mixed *= 0xff51afd7ed558ccdL;
    mixed ^= mixed >>> 33;
    mixed *= 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
