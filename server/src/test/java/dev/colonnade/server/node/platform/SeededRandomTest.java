package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

final class SeededRandomTest {

  @Test
  void theSameSeedGivesTheSameNumbers() {
    SeededRandom first = new SeededRandom(42);
    SeededRandom second = new SeededRandom(42);
    for (int i = 0; i < 100; i++) {
      assertEquals(first.nextLong(), second.nextLong());
    }
  }

  @Test
  void aForkDependsOnSeedAndComponentAlone() {
    SeededRandom source = new SeededRandom(42);
    long before = source.fork("gossip").nextLong();
    source.nextLong();
    assertEquals(before, source.fork("gossip").nextLong());
    assertNotEquals(before, source.fork("hints").nextLong());
    assertNotEquals(before, new SeededRandom(43).fork("gossip").nextLong());
    assertNotEquals(source.fork("a").fork("b").nextLong(), source.fork("b").fork("a").nextLong());
  }

  @Test
  void systemEntropyDoesNotRepeat() {
    assertNotEquals(
        SeededRandom.fromSystemEntropy().nextLong(), SeededRandom.fromSystemEntropy().nextLong());
  }
}
