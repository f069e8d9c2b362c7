package dev.colonnade.server.base.model;

import java.nio.ByteBuffer;

/** Signed 64-bit numbers, big-endian. */
final class LongType implements ColumnComparator {

  @Override
  public String typeName() {
    return "LongType";
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    if (left.length != Long.BYTES || right.length != Long.BYTES) {
      return Integer.compare(left.length, right.length);
    }
    return Long.compare(NameNumbers.at(left, 0), NameNumbers.at(right, 0));
  }

  @Override
  public void validate(byte[] name) throws InvalidNameException {
    NameText.requireLength(typeName(), name, Long.BYTES);
  }

  @Override
  public String display(byte[] name) {
    return name.length == 0 ? "" : Long.toString(NameNumbers.at(name, 0));
  }

  @Override
  public byte[] parse(String text) throws InvalidNameException {
    if (text.isEmpty()) {
      return new byte[0];
    }
    try {
      return ByteBuffer.allocate(Long.BYTES).putLong(Long.parseLong(text)).array();
    } catch (NumberFormatException e) {
      throw new InvalidNameException(
          "LongType takes a whole number from -2^63 to 2^63 - 1; got \""
              + NameText.quotable(text)
              + "\"");
    }
  }
}
