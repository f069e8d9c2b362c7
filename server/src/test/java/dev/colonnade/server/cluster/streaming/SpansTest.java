package dev.colonnade.server.cluster.streaming;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.storage.engine.RowSpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Which rows a stream of some ranges takes: with a partitioner that keeps the order of keys rows
 * lie exactly on the tokens where ranges begin and end.
 */
final class SpansTest {

  private static final long SEED = 20_261_123;

  /** Short tokens, of which some are the beginning of others, and the empty one. */
  private static byte[] token(Random random) {
    byte[] token = new byte[random.nextInt(3)];
    for (int i = 0; i < token.length; i++) {
      token[i] = (byte) random.nextInt(3);
    }
    return token;
  }

  private static boolean holds(RowSpan span, RowKey key) {
    return key.compareTo(span.start()) >= 0
        && (span.end().isEmpty() || key.compareTo(span.end().get()) < 0);
  }

  @Test
  void aSpanHasTheRowsOnItsEndAndNotThoseOnItsStart() {
    byte[] start = {1};
    byte[] end = {2};
    List<RowSpan> spans = Spans.of(List.of(new TokenRange(start, end)));
    assertEquals(1, spans.size());
    byte[] key = {7};
    assertEquals(false, holds(spans.get(0), new RowKey(start, key)));
    assertEquals(true, holds(spans.get(0), new RowKey(new byte[] {1, 0}, key)));
    assertEquals(true, holds(spans.get(0), new RowKey(end, key)));
    assertEquals(true, holds(spans.get(0), new RowKey(end, new byte[0])));
    assertEquals(false, holds(spans.get(0), new RowKey(new byte[] {2, 0}, key)));
  }

  @Test
  void spansHaveTheRowsOfTheirRangesAndNoneTwice() {
    Random random = new Random(SEED);
    for (int round = 0; round < 2_000; round++) {
      List<TokenRange> ranges = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        ranges.add(new TokenRange(token(random), token(random)));
      }
      List<RowSpan> spans = Spans.of(ranges);
      for (int i = 0; i < 30; i++) {
        byte[] token = token(random);
        RowKey row = new RowKey(token, Arrays.copyOf(token, random.nextInt(3)));
        boolean wanted = ranges.stream().anyMatch(range -> range.contains(token));
        long found = spans.stream().filter(span -> holds(span, row)).count();
        assertEquals(wanted ? 1 : 0, found, "round " + round + ": " + ranges + ", " + row);
      }
      for (int i = 1; i < spans.size(); i++) {
        assertTrue(
            spans.get(i - 1).end().orElseThrow().compareTo(spans.get(i).start()) < 0,
            "ascending and apart: " + spans);
      }
    }
  }
}
