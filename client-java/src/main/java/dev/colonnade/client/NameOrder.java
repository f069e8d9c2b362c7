package dev.colonnade.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How a comparator orders names, and which it accepts, as the nodes do it: loads are sorted here.
 * Immutable.
 *
 * @param order of names that are valid
 * @param valid whether a name that is not empty is one of the comparator's
 * @param rule what a valid name is, for people
 */
record NameOrder(Comparator<byte[]> order, Predicate<byte[]> valid, String rule) {

  private static final int UUID_BYTES = 16;

  private static final NameOrder BYTES =
      new NameOrder(Arrays::compareUnsigned, name -> true, "any bytes");
  private static final NameOrder ASCII =
      new NameOrder(Arrays::compareUnsigned, NameOrder::isAscii, "bytes from 0x00 to 0x7f");
  private static final NameOrder UTF8 =
      new NameOrder(Arrays::compareUnsigned, NameOrder::isUtf8, "text in UTF-8");
  private static final NameOrder LONG =
      new NameOrder(
          Comparator.comparingLong(name -> at(name, 0)), name -> name.length == 8, "eight bytes");
  private static final NameOrder LEXICAL_UUID =
      new NameOrder(
          Comparator.<byte[]>comparingLong(name -> at(name, 0))
              .thenComparingLong(name -> at(name, 8)),
          name -> name.length == UUID_BYTES,
          "the 16 bytes of a UUID");
  private static final NameOrder TIME_UUID =
      new NameOrder(
          Comparator.<byte[]>comparingLong(name -> time(at(name, 0)))
              .thenComparing(Arrays::compareUnsigned),
          name -> name.length == UUID_BYTES && (name[6] & 0xf0) == 0x10,
          "the 16 bytes of a UUID of version 1");
  private static final NameOrder INTEGER =
      new NameOrder(NameOrder::compareNumbers, name -> true, "a number of any length");

  /** The order of a comparator; null if this client does not know it, as those of plug-ins. */
  static @Nullable NameOrder of(String comparator) {
    return switch (comparator) {
      case Comparators.BYTES -> BYTES;
      case Comparators.ASCII -> ASCII;
      case Comparators.UTF8 -> UTF8;
      case Comparators.LONG -> LONG;
      case Comparators.LEXICAL_UUID -> LEXICAL_UUID;
      case Comparators.TIME_UUID -> TIME_UUID;
      case Comparators.INTEGER -> INTEGER;
      default -> null;
    };
  }

  private static long at(byte[] name, int index) {
    return ByteBuffer.wrap(name).getLong(index);
  }

  /** The time of a UUID whose first half this is: its low, middle and high part come in turn. */
  private static long time(long high) {
    return (high & 0xfff) << 48 | (high >>> 16 & 0xffff) << 32 | high >>> 32;
  }

  private static boolean isAscii(byte[] name) {
    for (byte each : name) {
      if (each < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUtf8(byte[] name) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).limit() >= 0;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** Leading bytes that only repeat the sign do not count. */
  private static int compareNumbers(byte[] left, byte[] right) {
    boolean negative = left[0] < 0;
    if (negative != (right[0] < 0)) {
      return negative ? -1 : 1;
    }
    int leftStart = firstSignificant(left);
    int rightStart = firstSignificant(right);
    int byLength = Integer.compare(left.length - leftStart, right.length - rightStart);
    if (byLength != 0) {
      return negative ? -byLength : byLength;
    }
    return Arrays.compareUnsigned(left, leftStart, left.length, right, rightStart, right.length);
  }

  private static int firstSignificant(byte[] number) {
    byte padding = number[0] < 0 ? (byte) -1 : 0;
    int i = 0;
    while (i < number.length - 1 && number[i] == padding && (number[i + 1] ^ padding) >= 0) {
      i++;
    }
    return i;
  }
}
