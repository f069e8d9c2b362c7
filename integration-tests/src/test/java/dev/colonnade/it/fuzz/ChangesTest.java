package dev.colonnade.it.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ChangesTest {

  private static final byte[] SHORT = {7};
  private static final byte[] LONG = "a rather long input of the corpus".getBytes(UTF_8);

  private static Changes changes(long seed) {
    return new Changes(List.of(new byte[0], SHORT, LONG), 40, new SplittableRandom(seed));
  }

  @Test
  void changesAreBoundedAndOfManyKinds() {
    Changes changes = changes(1);
    Set<List<Byte>> seen = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      byte[] input = changes.next();
      assertTrue(input.length <= 40, "of " + input.length + " bytes");
      List<Byte> bytes = new java.util.ArrayList<>();
      for (byte each : input) {
        bytes.add(each);
      }
      seen.add(bytes);
    }
    assertTrue(seen.size() > 5_000, "only " + seen.size() + " different inputs");
  }

  @Test
  void aSeedMakesTheSameInputs() {
    Changes one = changes(5);
    Changes other = changes(5);
    for (int i = 0; i < 1_000; i++) {
      assertArrayEquals(one.next(), other.next());
    }
  }

  @Test
  void theCorpusStaysAsItIs() {
    Changes changes = changes(9);
    for (int i = 0; i < 1_000; i++) {
      changes.next();
    }
    assertArrayEquals("a rather long input of the corpus".getBytes(UTF_8), LONG);
    assertArrayEquals(new byte[] {7}, SHORT);
  }
}
