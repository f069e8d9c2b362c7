package dev.colonnade.server.service.rpc;

import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits ranges along the ring's own ranges. */
final class RingParts {

  private RingParts() {}

  /** A range, cut at the ring's tokens inside it, in ring order. */
  static List<TokenRange> within(Ring ring, TokenRange whole) {
    List<TokenRange> parts = new ArrayList<>();
    byte[] start = whole.start();
    for (TokenRange range : fromHoldingBehind(ring, whole.start())) {
      byte[] cut = range.end();
      if (whole.contains(cut) && !Arrays.equals(cut, whole.end())) {
        if (!Arrays.equals(start, cut)) {
          parts.add(new TokenRange(start, cut));
          start = cut;
        }
      }
    }
    parts.add(new TokenRange(start, whole.end()));
    return parts;
  }

  /** The ring's ranges clockwise, starting with the first that ends after a token. */
  private static List<TokenRange> fromHoldingBehind(Ring ring, byte[] token) {
    List<TokenRange> ranges = ring.ranges();
    int first = 0;
    while (first < ranges.size() && Arrays.compareUnsigned(ranges.get(first).end(), token) <= 0) {
      first++;
    }
    List<TokenRange> turned = new ArrayList<>(ranges.subList(first, ranges.size()));
    turned.addAll(ranges.subList(0, first));
    return turned;
  }
}
