package dev.colonnade.client;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** The ranges of a ring by their tokens. Immutable. */
final class LoadRanges implements LoadFile.Ranges {

  /** A range's number and its end. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record End(int range, byte[] token) {}

  private final List<End> ascending;

  LoadRanges(Ring ring, TokenBytes tokens) {
    List<RingRange> ranges = ring.ranges();
    if (ranges.isEmpty()) {
      throw new IllegalStateException("the ring has no ranges; try again");
    }
    this.ascending =
        IntStream.range(0, ranges.size())
            .mapToObj(i -> new End(i, tokens.ofText().apply(ranges.get(i).endToken())))
            .sorted(Comparator.comparing(End::token, Arrays::compareUnsigned))
            .toList();
  }

  @Override
  public int of(byte[] token) {
    int low = 0;
    int high = ascending.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(ascending.get(middle).token(), token) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // What comes after the last token belongs to the range that wraps around to the first.
    return ascending.get(low == ascending.size() ? 0 : low).range();
  }
}
