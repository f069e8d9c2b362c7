package dev.colonnade.server.cluster.ring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Several ranges of tokens at once. Pure. */
public final class TokenRanges {

  private TokenRanges() {}

  /** Returns a set of tokens that is in their order. */
  public static SortedSet<byte[]> tokens() {
    return new TreeSet<>(Arrays::compareUnsigned);
  }

  /**
   * Returns the ranges between neighbouring tokens, which together are the whole ring, in token
   * order.
   *
   * @param tokens at least one, made by {@link #tokens}
   */
  public static List<TokenRange> between(SortedSet<byte[]> tokens) {
    List<TokenRange> ranges = new ArrayList<>(tokens.size());
    byte[] start = tokens.last();
    for (byte[] end : tokens) {
      ranges.add(new TokenRange(start, end));
      start = end;
    }
    return ranges;
  }

  /**
   * Returns disjoint ranges with the same tokens, as few as there can be, in token order: those
   * that touch or overlap become one.
   */
  public static List<TokenRange> joined(Collection<TokenRange> ranges) {
    if (ranges.isEmpty()) {
      return List.of();
    }
    // How many more ranges cover what comes after a token than what comes before it.
    TreeMap<byte[], Integer> changes = new TreeMap<>(Arrays::compareUnsigned);
    for (TokenRange range : ranges) {
      changes.merge(range.start(), 1, Integer::sum);
      changes.merge(range.end(), -1, Integer::sum);
    }
    byte[] first = changes.firstKey();
    long covering = ranges.stream().filter(range -> range.contains(first)).count();
    List<TokenRange> joined = new ArrayList<>();
    for (TokenRange piece : between(changes.navigableKeySet())) {
      if (covering > 0) {
        addOrExtend(joined, piece);
      }
      covering += changes.getOrDefault(piece.end(), 0);
    }
    int last = joined.size() - 1;
    if (last > 0 && touch(joined.get(last), joined.get(0))) {
      joined.set(0, new TokenRange(joined.remove(last).start(), joined.get(0).end()));
    }
    return List.copyOf(joined);
  }

  private static void addOrExtend(List<TokenRange> joined, TokenRange piece) {
    int last = joined.size() - 1;
    if (last >= 0 && touch(joined.get(last), piece)) {
      joined.set(last, new TokenRange(joined.get(last).start(), piece.end()));
    } else {
      joined.add(piece);
    }
  }

  private static boolean touch(TokenRange before, TokenRange after) {
    return Arrays.equals(before.end(), after.start());
  }

  /** Returns the parts of these ranges between neighbouring tokens of a ring, in token order. */
  public static List<TokenRange> cut(Collection<TokenRange> ranges, Ring ring) {
    SortedSet<byte[]> tokens = tokens();
    ring.ranges().forEach(range -> tokens.add(range.end()));
    for (TokenRange range : ranges) {
      tokens.add(range.start());
      tokens.add(range.end());
    }
    return between(tokens).stream()
        .filter(part -> ranges.stream().anyMatch(range -> range.contains(part.end())))
        .toList();
  }
}
