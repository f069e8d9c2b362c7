package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClockOffsetsTest {

  private static final long MINUTE = 60_000_000;
  private static final long NOW = 1_800_000_000_000_000L;

  private final ClockOffsets offsets = new ClockOffsets();

  /** True time, by this node's clock unless that was set. */
  private long now = NOW;

  private long ownAhead;

  /** An exchange with a clock that is ahead of true time, and these delays of the two messages. */
  private void exchange(String peer, long ahead, long there, long back) {
    final long sent = now + ownAhead;
    now += there;
    long received = now + ahead;
    now += 20;
    long answered = now + ahead;
    now += back;
    offsets.add(peer, new GossipMessages.ClockTimes(sent, received, answered), now + ownAhead);
    now += 1_000_000;
  }

  private long of(String peer) {
    return offsets.micros(peer).orElseThrow();
  }

  @Test
  void equalDelaysShowTheOffsetExactly() {
    offsets.keepOnly(Set.of("a", "b"));
    exchange("a", 12_345, 300, 300);
    exchange("b", -10 * MINUTE, 40_000, 40_000);
    assertEquals(12_345, of("a"));
    assertEquals(-10 * MINUTE, of("b"));
  }

  @Test
  void theErrorIsAtMostHalfOfTheShortestRoundTrip() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      String peer = "peer" + seed;
      offsets.keepOnly(Set.of(peer));
      long ahead = random.nextInt(2_000_000) - 1_000_000L;
      long shortest = Long.MAX_VALUE;
      for (int i = 0; i < ClockOffsets.SAMPLES; i++) {
        long there = random.nextInt(100_000);
        long back = random.nextInt(400_000);
        exchange(peer, ahead, there, back);
        shortest = Math.min(shortest, there + back);
        assertTrue(Math.abs(of(peer) - ahead) <= shortest / 2 + 1, "seed " + seed);
      }
    }
  }

  @Test
  void aClockThatWasSetIsSeenAtTheNextAnswer() {
    offsets.keepOnly(Set.of("a"));
    exchange("a", 0, 100, 100);
    exchange("a", 30 * MINUTE, 50_000, 70_000);
    assertTrue(Math.abs(of("a") - 30 * MINUTE) <= 60_000, "" + of("a"));
    exchange("a", 0, 50_000, 50_000);
    assertTrue(Math.abs(of("a")) <= 50_000, "" + of("a"));
    ownAhead = -30 * MINUTE;
    exchange("a", 0, 50_000, 50_000);
    assertTrue(Math.abs(of("a") - 30 * MINUTE) <= 50_000, "" + of("a"));
  }

  @Test
  void aClockThatIsSetDuringAnExchangeSpoilsNothing() {
    offsets.keepOnly(Set.of("a"));
    offsets.add("a", new GossipMessages.ClockTimes(NOW, NOW, NOW), NOW - 10 * MINUTE);
    offsets.add("a", new GossipMessages.ClockTimes(NOW, NOW, NOW), NOW + 10 * MINUTE);
    assertEquals(OptionalLong.empty(), offsets.micros("a"));
    exchange("a", 5, 100, 100);
    assertEquals(5, of("a"));
  }

  @Test
  void oneThatLiesDoesNotMoveTheMedianOfThree() {
    offsets.keepOnly(Set.of("a", "b", "liar"));
    exchange("a", 1_000, 100, 100);
    exchange("b", 2_000, 100, 100);
    exchange("liar", 10 * MINUTE, 100, 100);
    assertEquals(2_000, offsets.medianMicros());
  }

  @Test
  void ofTwoTheNearerOneCountsAndOfOneThatOne() {
    assertEquals(0, offsets.medianMicros());
    offsets.keepOnly(Set.of("a", "b"));
    assertEquals(0, offsets.medianMicros());
    exchange("a", -5 * MINUTE, 100, 100);
    assertEquals(-5 * MINUTE, offsets.medianMicros());
    exchange("b", 30, 100, 100);
    assertEquals(30, offsets.medianMicros());
    ownAhead = MINUTE;
    exchange("a", 0, 100, 100);
    exchange("b", 0, 100, 100);
    assertEquals(-MINUTE, offsets.medianMicros());
  }

  @Test
  void thoseThatLeaveAreForgottenAndStrangersAreNotKept() {
    offsets.keepOnly(Set.of("a", "b"));
    exchange("a", MINUTE, 100, 100);
    exchange("stranger", MINUTE, 100, 100);
    assertEquals(OptionalLong.empty(), offsets.micros("stranger"));
    offsets.keepOnly(Set.of("b"));
    assertEquals(OptionalLong.empty(), offsets.micros("a"));
    assertEquals(0, offsets.medianMicros());
    offsets.keepOnly(Set.of("a", "b"));
    assertEquals(OptionalLong.empty(), offsets.micros("a"));
  }

  @Test
  void anOldSampleEndsAfterAsManyAsAreKept() {
    offsets.keepOnly(Set.of("a"));
    exchange("a", 0, 0, 0);
    for (int i = 0; i < ClockOffsets.SAMPLES; i++) {
      // Within the error of the first: no contradiction.
      exchange("a", 0, 1_000, 3_000);
    }
    assertEquals(-1_000, of("a"));
  }

  @Test
  void numbersThatAreNoClockAreNotTaken() {
    offsets.keepOnly(Set.of("a"));
    for (long odd : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 1L << 60, -(1L << 60)}) {
      offsets.add("a", new GossipMessages.ClockTimes(odd, odd, odd), odd);
      offsets.add("a", new GossipMessages.ClockTimes(NOW, odd, odd), NOW);
      offsets.add("a", new GossipMessages.ClockTimes(odd, NOW, NOW), NOW);
      offsets.add("a", new GossipMessages.ClockTimes(NOW, NOW, odd), NOW);
    }
    assertEquals(OptionalLong.empty(), offsets.micros("a"));
    offsets.add("a", new GossipMessages.ClockTimes(NOW, (1L << 60) - 1, (1L << 60) - 1), NOW);
    assertEquals((1L << 60) - 1 - NOW, of("a"));
  }
}
