package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.InvalidNameException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Tests a user's comparator before data is written in its order. It cannot prove an order, but it
 * catches the usual mistakes: a class that reports another name, forgets equality, contradicts
 * itself, or throws on names that it accepts.
 */
final class ComparatorProbe {

  private static final List<byte[]> NAMES =
      List.of(
          new byte[] {0},
          new byte[] {(byte) 0xff},
          "a".getBytes(StandardCharsets.US_ASCII),
          "AB".getBytes(StandardCharsets.US_ASCII),
          "zebra".getBytes(StandardCharsets.US_ASCII),
          new byte[8],
          new byte[] {0, 0, 0, 0, 0, 0, 0, 1},
          new byte[] {0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0},
          new byte[] {0, 0, 0, 1, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 1});

  private ComparatorProbe() {}

  static void check(String className, ColumnComparator comparator) throws PlugInException {
    try {
      if (!className.equals(comparator.typeName())) {
        throw new PlugInException(
            "the comparator "
                + className
                + " calls itself "
                + Names.quote(comparator.typeName())
                + "; its typeName() must return its class name, because that is how it is found"
                + " again");
      }
      checkOrder(className, comparator);
    } catch (RuntimeException e) {
      throw new PlugInException("the comparator " + className + " failed when tried: " + e, e);
    }
  }

  private static void checkOrder(String className, ColumnComparator comparator)
      throws PlugInException {
    List<byte[]> names = new ArrayList<>();
    for (byte[] name : NAMES) {
      if (isValid(comparator, name)) {
        names.add(name);
      }
    }
    for (byte[] a : names) {
      for (byte[] b : names) {
        int ab = Integer.signum(comparator.compare(a, b));
        if (a == b && ab != 0) {
          throw new PlugInException(
              "the comparator " + className + " does not find a name equal to itself");
        }
        if (ab != -Integer.signum(comparator.compare(b, a))) {
          throw new PlugInException(
              "the comparator "
                  + className
                  + " contradicts itself: swapping two names does not swap the answer");
        }
      }
    }
  }

  private static boolean isValid(ColumnComparator comparator, byte[] name) {
    try {
      comparator.validate(name);
      return true;
    } catch (InvalidNameException e) {
      return false;
    }
  }
}
