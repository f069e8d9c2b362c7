package dev.colonnade.server.model;

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
class NameTypesPropertyTest {

  private static final long SEED = 0x5eed_0c01L;
  private static final int NAMES = 60;

  @Test
  void comparisonIsATotalOrder() {
    for (NameType type : NameTypes.all()) {
      List<byte[]> names = names(type, new Random(SEED));
      for (byte[] a : names) {
        assertEquals(0, type.compare(a, a.clone()), () -> because(type));
        for (byte[] b : names) {
          int ab = Integer.signum(type.compare(a, b));
          assertEquals(-ab, Integer.signum(type.compare(b, a)), () -> because(type));
          for (byte[] c : names) {
            if (ab <= 0 && type.compare(b, c) <= 0) {
              assertTrue(type.compare(a, c) <= 0, () -> because(type));
            }
          }
        }
      }
    }
  }

  @Test
  void emptySortsFirstAndNothingThrowsOnIt() {
    for (NameType type : NameTypes.all()) {
      for (byte[] name : names(type, new Random(SEED))) {
        int expected = name.length == 0 ? 0 : -1;
        assertEquals(expected, Integer.signum(type.compare(new byte[0], name)), because(type));
      }
    }
  }

  @Test
  void whatIsDisplayedCanBeParsedBack() throws InvalidNameException {
    for (NameType type : NameTypes.all()) {
      for (byte[] name : names(type, new Random(SEED + 1))) {
        byte[] back = type.parse(type.display(name));
        assertEquals(0, type.compare(name, back), () -> because(type) + type.display(name));
      }
    }
  }

  @Test
  void integersSortAsNumbers() {
    List<byte[]> names = names(NameTypes.INTEGER, new Random(SEED + 2));
    names.removeIf(name -> name.length == 0);
    for (byte[] a : names) {
      for (byte[] b : names) {
        assertEquals(
            new BigInteger(a).compareTo(new BigInteger(b)),
            Integer.signum(NameTypes.INTEGER.compare(a, b)),
            () -> because(NameTypes.INTEGER));
      }
    }
  }

  private static String because(NameType type) {
    return type.typeName() + ", seed " + SEED + ": ";
  }

  private static List<byte[]> names(NameType type, Random random) {
    List<byte[]> names = new ArrayList<>(List.of(new byte[0]));
    while (names.size() < NAMES) {
      byte[] candidate = candidate(type, random);
      try {
        type.validate(candidate);
        names.add(candidate);
      } catch (InvalidNameException e) {
        // Drawn again: only valid names have an order.
      }
    }
    return names;
  }

  private static byte[] candidate(NameType type, Random random) {
    int length =
        switch (type.typeName()) {
          case "LongType" -> 8;
          case "LexicalUUIDType", "TimeUUIDType" -> 16;
          default -> random.nextInt(5);
        };
    byte[] few = {0, 1, 0x41, 0x7f, (byte) 0x80, (byte) 0xc3, (byte) 0xff};
    ByteBuffer name = ByteBuffer.allocate(length);
    while (name.hasRemaining()) {
      name.put(few[random.nextInt(few.length)]);
    }
    if (type == NameTypes.TIME_UUID) {
      name.put(6, (byte) (0x10 | random.nextInt(3)));
    }
    return name.array();
  }
}
