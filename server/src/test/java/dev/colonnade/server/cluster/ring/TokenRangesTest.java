package dev.colonnade.server.cluster.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Joined and cut ranges have the tokens that the ranges had. */
final class TokenRangesTest {
  private static final int TOKENS = 16;

  private static TokenRange range(int start, int end) {
    return new TokenRange(new byte[] {(byte) start}, new byte[] {(byte) end});
  }

  private static List<TokenRange> random(Random random) {
    List<TokenRange> ranges = new ArrayList<>();
    for (int i = random.nextInt(6); i >= 0; i--) {
      ranges.add(range(random.nextInt(TOKENS), random.nextInt(TOKENS)));
    }
    return ranges;
  }

  private static long covering(List<TokenRange> ranges, int token) {
    return ranges.stream().filter(range -> range.contains(new byte[] {(byte) token})).count();
  }

  @Test
  void rangesThatTouchOrOverlapBecomeOne() {
    assertEquals(List.of(), TokenRanges.joined(List.of()));
    assertEquals(List.of(range(1, 6)), TokenRanges.joined(List.of(range(3, 6), range(1, 4))));
    assertEquals(List.of(range(9, 4)), TokenRanges.joined(List.of(range(1, 4), range(9, 1))));
    List<TokenRange> whole = TokenRanges.joined(List.of(range(1, 4), range(9, 1), range(4, 9)));
    assertEquals(1, whole.size());
    assertTrue(Arrays.equals(whole.get(0).start(), whole.get(0).end()), whole::toString);
    assertEquals(List.of(range(5, 5)), TokenRanges.joined(List.of(range(5, 5))));
  }

  @Test
  void joinedRangesHaveTheSameTokensAndAreAsFewAsCanBe() {
    for (int seed = 0; seed < 5_000; seed++) {
      List<TokenRange> ranges = random(new Random(seed));
      List<TokenRange> joined = TokenRanges.joined(ranges);
      String why = "seed " + seed + ": " + ranges + " became " + joined;
      int edges = 0;
      for (int token = 0; token < TOKENS; token++) {
        boolean within = covering(ranges, token) > 0;
        assertEquals(within ? 1 : 0, covering(joined, token), why);
        edges += within && covering(ranges, (token + 1) % TOKENS) == 0 ? 1 : 0;
      }
      assertEquals(Math.max(1, edges), joined.size(), why);
      assertEquals(joined, TokenRanges.joined(joined), why);
    }
  }

  @Test
  void cutRangesHaveTheSameTokensAndLieBetweenThoseOfTheRing() {
    Ring ring =
        Ring.of(
            List.of(
                new RingNode(
                    "a",
                    "10.0.0.1",
                    7000,
                    9160,
                    "dc1",
                    "r1",
                    List.of(new byte[] {3}, new byte[] {8}, new byte[] {13}))));
    for (int seed = 0; seed < 1_000; seed++) {
      List<TokenRange> ranges = random(new Random(seed));
      List<TokenRange> cut = TokenRanges.cut(ranges, ring);
      String why = "seed " + seed + ": " + ranges + " became " + cut;
      for (int token = 0; token < TOKENS; token++) {
        assertEquals(covering(ranges, token) > 0 ? 1 : 0, covering(cut, token), why);
      }
      for (TokenRange part : cut) {
        TokenRange whole = ring.rangeOf(part.end());
        for (int token = 0; token < TOKENS; token++) {
          byte[] each = {(byte) token};
          assertTrue(!part.contains(each) || whole.contains(each), why);
        }
      }
    }
  }
}
