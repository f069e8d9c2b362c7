package dev.colonnade.server.node.platform;

import org.jspecify.annotations.Nullable;

/**
 * The number of a {@link KeyBucket}, as a reusable key of a Chronicle Map. One thread at a time.
 */
final class BucketNumber {
  private int number;

  void set(int newNumber) {
    number = newNumber;
  }

  int number() {
    return number;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BucketNumber that && number == that.number;
  }

  @Override
  public int hashCode() {
    return number;
  }
}
