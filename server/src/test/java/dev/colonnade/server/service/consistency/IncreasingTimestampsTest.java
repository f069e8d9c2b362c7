package dev.colonnade.server.service.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IncreasingTimestampsTest {

  private static final long SEED = 20_261_122;

  private final SimClock clock = new SimClock();

  private List<IncreasingTimestamps> nodes(int count) {
    List<String> ids = new ArrayList<>();
    for (int node = 0; node < count; node++) {
      ids.add("node" + node);
    }
    List<IncreasingTimestamps> sources = new ArrayList<>();
    Random order = new Random(SEED);
    for (String id : List.copyOf(ids)) {
      IncreasingTimestamps source = new IncreasingTimestamps(clock);
      Collections.shuffle(ids, order);
      source.shareWith(ids, id);
      sources.add(source);
    }
    return sources;
  }

  @Test
  void nodesOfOneRingNeverGiveTheSame() {
    RandomSource random = new SeededRandom(SEED);
    for (int count : List.of(1, 2, 3, 5, 8, 100)) {
      List<IncreasingTimestamps> nodes = nodes(count);
      long[] last = new long[count];
      Set<Long> given = new HashSet<>();
      for (int i = 0; i < 20_000; i++) {
        int node = random.nextInt(count);
        long next = nodes.get(node).nextMicros();
        assertTrue(given.add(next), count + " nodes, seed " + SEED + ": " + next + " twice");
        assertTrue(next > last[node] && next >= clock.wallMicros(), "seed " + SEED);
        last[node] = next;
        if (random.nextInt(3) == 0) {
          clock.advance(Duration.ofNanos(random.nextInt(5_000)));
        }
        if (random.nextInt(5_000) == 0) {
          clock.stepWall(Duration.ofMillis(random.nextInt(100) - 50));
        }
      }
      clock.stepWall(Duration.ofDays(1));
    }
  }

  @Test
  void aNodeInAHurryIsNotMoreThanASecondAheadOfItsClock() {
    IncreasingTimestamps node = nodes(1_000).get(3);
    long last = 0;
    for (int i = 0; i < 5_000; i++) {
      long next = node.nextMicros();
      assertTrue(next > last);
      last = next;
    }
    assertTrue(last <= clock.wallMicros() + 1_000_000 + 5_000, "" + (last - clock.wallMicros()));
  }

  @Test
  void aNodeAloneTakesEveryMicrosecond() {
    IncreasingTimestamps node = nodes(1).get(0);
    assertEquals(clock.wallMicros(), node.nextMicros());
    assertEquals(clock.wallMicros() + 1, node.nextMicros());
  }
}
