package dev.colonnade.server.history;

import org.jspecify.annotations.Nullable;

/**
 * What a register held at some time: the versions of one register are in an order that the store
 * itself goes by, so that nothing has to be searched.
 *
 * @param timestamp the higher one wins
 * @param value null for a deletion, which wins over values of the same timestamp; of two values the
 *     greater one wins
 */
public record Version(long timestamp, @Nullable String value) implements Comparable<Version> {

  @Override
  public int compareTo(Version other) {
    if (timestamp != other.timestamp) {
      return Long.compare(timestamp, other.timestamp);
    }
    if (value == null || other.value == null) {
      return Boolean.compare(value == null, other.value == null);
    }
    return value.compareTo(other.value);
  }

  boolean isDeletion() {
    return value == null;
  }

  @Override
  public String toString() {
    return (value == null ? "deletion" : "'" + value + "'") + " @" + timestamp;
  }
}
