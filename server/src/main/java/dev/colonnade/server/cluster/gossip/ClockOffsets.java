package dev.colonnade.server.cluster.gossip;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * How far the clocks of other nodes are ahead of this node's, from the round trips of gossip. Not
 * thread-safe.
 *
 * <p>A message and its answer show the offset to within half of their round trip, however unequal
 * the two ways are. So the shortest of the last round trips shows it best.
 */
final class ClockOffsets {

  /** Samples of a node that are kept: some of them find the network and the nodes idle. */
  static final int SAMPLES = 8;

  /** Longer round trips show too little: the error may be half of this. */
  static final long ROUND_TRIP_MAX_MICROS = 1_000_000;

  /** No clock shows more; sums of four such numbers do not overflow. */
  private static final long CLOCK_MAX_MICROS = 1L << 60;

  private record Sample(long offsetMicros, long roundTripMicros) {

    /** Whether no offset explains both: one of the clocks was set, or drifted, between them. */
    private boolean contradicts(Sample other) {
      return 2 * Math.abs(offsetMicros - other.offsetMicros)
          > roundTripMicros + other.roundTripMicros;
    }
  }

  private final Map<String, Deque<Sample>> samples = new HashMap<>();

  /** Forgets all other nodes; only what these answer is taken from now on. */
  void keepOnly(Set<String> nodeIds) {
    samples.keySet().retainAll(nodeIds);
    nodeIds.forEach(id -> samples.computeIfAbsent(id, added -> new ArrayDeque<>(SAMPLES)));
  }

  /**
   * Takes an answer into account, unless it cannot be true or shows too little.
   *
   * @param arrivedMicros this node's clock when the answer arrived
   */
  void add(String nodeId, GossipMessages.ClockTimes times, long arrivedMicros) {
    Deque<Sample> kept = samples.get(nodeId);
    if (kept == null
        || !isClock(times.sentMicros())
        || !isClock(times.receivedMicros())
        || !isClock(times.answeredMicros())
        || !isClock(arrivedMicros)) {
      return;
    }
    long there = times.receivedMicros() - times.sentMicros();
    long back = times.answeredMicros() - arrivedMicros;
    long roundTrip = there - back;
    if (roundTrip < 0 || roundTrip > ROUND_TRIP_MAX_MICROS) {
      return;
    }
    Sample added = new Sample((there + back) / 2, roundTrip);
    kept.removeIf(added::contradicts);
    if (kept.size() == SAMPLES) {
      kept.remove();
    }
    kept.add(added);
  }

  private static boolean isClock(long micros) {
    return -CLOCK_MAX_MICROS < micros && micros < CLOCK_MAX_MICROS;
  }

  /** How far the node's clock is ahead of this node's; negative if behind. */
  OptionalLong micros(String nodeId) {
    Deque<Sample> kept = samples.get(nodeId);
    return kept == null ? OptionalLong.empty() : best(kept);
  }

  private static OptionalLong best(Collection<Sample> kept) {
    return kept.stream()
        .min(Comparator.comparingLong(Sample::roundTripMicros))
        .map(sample -> OptionalLong.of(sample.offsetMicros()))
        .orElseGet(OptionalLong::empty);
  }

  /**
   * The median of all measured nodes, 0 without any. Of two in the middle it is the one nearer to
   * 0: one wrong clock among three nodes is then no fault of the other two.
   */
  long medianMicros() {
    List<Long> offsets =
        samples.values().stream()
            .map(ClockOffsets::best)
            .filter(OptionalLong::isPresent)
            .map(OptionalLong::getAsLong)
            .sorted()
            .toList();
    if (offsets.isEmpty()) {
      return 0;
    }
    long low = offsets.get((offsets.size() - 1) / 2);
    long high = offsets.get(offsets.size() / 2);
    return Math.abs(low) <= Math.abs(high) ? low : high;
  }
}
