package dev.colonnade.server.node.platform;

import org.jspecify.annotations.Nullable;

/** The 128-bit hash of a row key, as a reusable key of a Chronicle Map. One thread at a time. */
final class HashKey {
  private long high;
  private long low;

  void set(long newHigh, long newLow) {
    high = newHigh;
    low = newLow;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof HashKey that && high == that.high && low == that.low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(high ^ low);
  }
}
