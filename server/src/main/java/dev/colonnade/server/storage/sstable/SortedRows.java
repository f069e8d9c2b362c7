package dev.colonnade.server.storage.sstable;

import java.io.IOException;
import java.util.Arrays;

/** Sorts rows of a {@link RowIndexSpool} by their hashes. Reusable; for one thread. */
final class SortedRows {
  private static final int WORDS = 3;

  /** How many bits of a sorted number say where the row lies; the rest are the hash's highest. */
  private static final int PLACE_BITS = 24;

  /** Among a million even hashes some two rows begin with the same 40 bits. */
  private static final long MOVES_MAX = 1 << 20;

  private static final long PLACE_MASK = (1L << PLACE_BITS) - 1;

  /** Hash, in two words, and position of each row. */
  private long[] rows;

  private long[] order = {};
  private int count;

  SortedRows(int expected) {
    this.rows = new long[WORDS * Math.max(16, expected)];
  }

  void clear() {
    count = 0;
  }

  int count() {
    return count;
  }

  /** Adds a row; at most 16 million. */
  void add(long hashHigh, long hashLow, long position) {
    int at = WORDS * count;
    if (at == rows.length) {
      rows = Arrays.copyOf(rows, rows.length + rows.length / 2 / WORDS * WORDS);
    }
    rows[at] = hashHigh;
    rows[at + 1] = hashLow;
    rows[at + 2] = position;
    count++;
  }

  /**
   * Passes the rows in ascending order of their hashes; false if the consumer stopped, or too many
   * hashes begin alike.
   */
  boolean forEachSorted(RowIndexSpool.Consumer consumer) throws IOException {
    if (order.length < count) {
      order = new long[rows.length / WORDS];
    }
    for (int i = 0; i < count; i++) {
      // Turned so that the order of signed numbers is that of unsigned hashes.
      order[i] = ((rows[WORDS * i] ^ Long.MIN_VALUE) & ~PLACE_MASK) | i;
    }
    Arrays.sort(order, 0, count);
    if (!settleTies()) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      int at = at(i);
      if (!consumer.accept(rows[at], rows[at + 1], rows[at + 2])) {
        return false;
      }
    }
    return true;
  }

  private int at(int place) {
    return WORDS * (int) (order[place] & PLACE_MASK);
  }

  /**
   * Sorts rows whose hashes begin with the same bits, which are few; false if they are many,
   * because the keys were chosen for that.
   */
  private boolean settleTies() {
    long moves = 0;
    for (int i = 1; i < count; i++) {
      for (int j = i; j > 0 && isBefore(at(j), at(j - 1)); j--) {
        long later = order[j - 1];
        order[j - 1] = order[j];
        order[j] = later;
        moves++;
      }
      if (moves > MOVES_MAX) {
        return false;
      }
    }
    return true;
  }

  private boolean isBefore(int at, int other) {
    int byHigh = Long.compareUnsigned(rows[at], rows[other]);
    return byHigh < 0 || (byHigh == 0 && Long.compareUnsigned(rows[at + 1], rows[other + 1]) < 0);
  }
}
