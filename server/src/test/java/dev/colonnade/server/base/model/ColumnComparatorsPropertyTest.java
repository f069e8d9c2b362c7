package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What must hold for every name, on names drawn from few bytes so that prefixes and ties abound.
 */
class ColumnComparatorsPropertyTest {

  private static final long SEED = 0x5eed_0c01L;
  private static final int NAMES = 60;

  @Test
  void comparisonIsATotalOrder() {
    for (ColumnComparator comparator : ColumnComparators.all()) {
      List<byte[]> names = names(comparator, new Random(SEED));
      for (byte[] a : names) {
        assertEquals(0, comparator.compare(a, a.clone()), () -> because(comparator));
        for (byte[] b : names) {
          int ab = Integer.signum(comparator.compare(a, b));
          assertEquals(-ab, Integer.signum(comparator.compare(b, a)), () -> because(comparator));
          for (byte[] c : names) {
            if (ab <= 0 && comparator.compare(b, c) <= 0) {
              assertTrue(comparator.compare(a, c) <= 0, () -> because(comparator));
            }
          }
        }
      }
    }
  }

  @Test
  void emptySortsFirstAndNothingThrowsOnIt() {
    for (ColumnComparator comparator : ColumnComparators.all()) {
      for (byte[] name : names(comparator, new Random(SEED))) {
        int expected = name.length == 0 ? 0 : -1;
        assertEquals(
            expected, Integer.signum(comparator.compare(new byte[0], name)), because(comparator));
      }
    }
  }

  @Test
  void whatIsDisplayedCanBeParsedBack() throws InvalidNameException {
    for (ColumnComparator comparator : ColumnComparators.all()) {
      for (byte[] name : names(comparator, new Random(SEED + 1))) {
        byte[] back = comparator.parse(comparator.display(name));
        assertEquals(
            0,
            comparator.compare(name, back),
            () -> because(comparator) + comparator.display(name));
      }
    }
  }

  @Test
  void integersSortAsNumbers() {
    List<byte[]> names = names(ColumnComparators.INTEGER, new Random(SEED + 2));
    names.removeIf(name -> name.length == 0);
    for (byte[] a : names) {
      for (byte[] b : names) {
        assertEquals(
            new BigInteger(a).compareTo(new BigInteger(b)),
            Integer.signum(ColumnComparators.INTEGER.compare(a, b)),
            () -> because(ColumnComparators.INTEGER));
      }
    }
  }

  private static String because(ColumnComparator comparator) {
    return comparator.typeName() + ", seed " + SEED + ": ";
  }

  private static List<byte[]> names(ColumnComparator comparator, Random random) {
    List<byte[]> names = new ArrayList<>(List.of(new byte[0]));
    while (names.size() < NAMES) {
      byte[] candidate = candidate(comparator, random);
      try {
        comparator.validate(candidate);
        names.add(candidate);
      } catch (InvalidNameException e) {
        // Drawn again: only valid names have an order.
      }
    }
    return names;
  }

  private static byte[] candidate(ColumnComparator comparator, Random random) {
    int length =
        switch (comparator.typeName()) {
          case "LongType" -> 8;
          case "LexicalUUIDType", "TimeUUIDType" -> 16;
          default -> random.nextInt(5);
        };
    byte[] few = {0, 1, 0x41, 0x7f, (byte) 0x80, (byte) 0xc3, (byte) 0xff};
    ByteBuffer name = ByteBuffer.allocate(length);
    while (name.hasRemaining()) {
      name.put(few[random.nextInt(few.length)]);
    }
    if (comparator == ColumnComparators.TIME_UUID) {
      name.put(6, (byte) (0x10 | random.nextInt(3)));
    }
    return name.array();
  }
}
