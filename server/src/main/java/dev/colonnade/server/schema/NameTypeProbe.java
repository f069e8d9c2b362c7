package dev.colonnade.server.schema;

import dev.colonnade.server.env.PlugInException;
import dev.colonnade.server.model.InvalidNameException;
import dev.colonnade.server.model.NameType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks a user's comparator over before data is written in its order. It cannot prove an order, but
 * it catches the usual slips: a class that answers to another name, forgets equality, contradicts
 * itself, or throws on names that it accepts.
 */
final class NameTypeProbe {

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

  private NameTypeProbe() {}

  static void check(String className, NameType type) throws PlugInException {
    try {
      if (!className.equals(type.typeName())) {
        throw new PlugInException(
            "the comparator "
                + className
                + " calls itself "
                + Names.quote(type.typeName())
                + "; its typeName() must return its class name, because that is how it is found"
                + " again");
      }
      checkOrder(className, type);
    } catch (RuntimeException e) {
      throw new PlugInException("the comparator " + className + " failed when tried: " + e, e);
    }
  }

  private static void checkOrder(String className, NameType type) throws PlugInException {
    List<byte[]> names = new ArrayList<>();
    for (byte[] name : NAMES) {
      if (isValid(type, name)) {
        names.add(name);
      }
    }
    for (byte[] a : names) {
      for (byte[] b : names) {
        int ab = Integer.signum(type.compare(a, b));
        if (a == b && ab != 0) {
          throw new PlugInException(
              "the comparator " + className + " does not find a name equal to itself");
        }
        if (ab != -Integer.signum(type.compare(b, a))) {
          throw new PlugInException(
              "the comparator "
                  + className
                  + " contradicts itself: swapping two names does not swap the answer");
        }
      }
    }
  }

  private static boolean isValid(NameType type, byte[] name) {
    try {
      type.validate(name);
      return true;
    } catch (InvalidNameException e) {
      return false;
    }
  }
}
