package dev.colonnade.server.base.model;

import java.math.BigInteger;
import java.util.Arrays;

/**
 * Two's complement numbers of any length. Leading bytes that only repeat the sign do not count, so
 * a number has many spellings that all are one column.
 */
final class IntegerType implements ColumnComparator {

  /** Decimal digits of a 65,535-byte number, rounded up; longer texts cannot be names. */
  private static final int MAX_DIGITS = 157_900;

  @Override
  public String typeName() {
    return "IntegerType";
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    if (left.length == 0 || right.length == 0) {
      return Integer.compare(left.length, right.length);
    }
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
    // Same sign and same length: two's complement orders as unsigned bytes do.
    return Arrays.compareUnsigned(left, leftStart, left.length, right, rightStart, right.length);
  }

  private static int firstSignificant(byte[] name) {
    byte padding = name[0] < 0 ? (byte) -1 : 0;
    int i = 0;
    while (i < name.length - 1 && name[i] == padding && (name[i + 1] ^ padding) >= 0) {
      i++;
    }
    return i;
  }

  @Override
  public byte[] canonical(byte[] name) {
    int start = name.length == 0 ? 0 : firstSignificant(name);
    return start == 0 ? name : Arrays.copyOfRange(name, start, name.length);
  }

  @Override
  public void validate(byte[] name) {}

  @Override
  public String display(byte[] name) {
    return name.length == 0 ? "" : new BigInteger(name).toString();
  }

  @Override
  public byte[] parse(String text) throws InvalidNameException {
    if (text.isEmpty()) {
      return new byte[0];
    }
    if (text.length() <= MAX_DIGITS) {
      try {
        return new BigInteger(text).toByteArray();
      } catch (NumberFormatException e) {
        // Refused below, with the rule in the message.
      }
    }
    throw new InvalidNameException(
        "IntegerType takes a whole number; got \"" + NameText.quotable(text) + "\"");
  }
}
