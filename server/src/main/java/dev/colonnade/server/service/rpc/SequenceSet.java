package dev.colonnade.server.service.rpc;

import java.util.Map;
import java.util.TreeMap;

/**
 * The sequence numbers that a stream has used, stored as ranges of consecutive numbers: ascending
 * numbers take the space of one range however long the stream is. For one thread.
 */
final class SequenceSet {

  /** The result of adding a number. */
  enum AddOutcome {
    ADDED,
    REPEATED,
    /** The number would exceed the limit of ranges. */
    FULL
  }

  private final int maxRanges;

  /** The first and last number of each range; ranges are not adjacent. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>(Long::compareUnsigned);

  SequenceSet(int maxRanges) {
    this.maxRanges = maxRanges;
  }

  AddOutcome add(long number) {
    Map.Entry<Long, Long> below = ranges.floorEntry(number);
    if (below != null && Long.compareUnsigned(number, below.getValue()) <= 0) {
      return AddOutcome.REPEATED;
    }
    boolean joinsBelow = below != null && below.getValue() + 1 == number;
    Map.Entry<Long, Long> above = ranges.higherEntry(number);
    boolean joinsAbove = above != null && number + 1 == above.getKey();
    if (!joinsBelow && !joinsAbove && ranges.size() >= maxRanges) {
      return AddOutcome.FULL;
    }
    long first = joinsBelow ? below.getKey() : number;
    long last = joinsAbove ? above.getValue() : number;
    if (joinsAbove) {
      ranges.remove(above.getKey());
    }
    ranges.put(first, last);
    return AddOutcome.ADDED;
  }

  int ranges() {
    return ranges.size();
  }
}
