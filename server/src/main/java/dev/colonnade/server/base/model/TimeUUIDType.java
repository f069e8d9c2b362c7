package dev.colonnade.server.base.model;

/**
 * UUIDs of version 1 by their 60-bit time, then by all their bytes, unsigned as in Cassandra 0.6.
 */
final class TimeUUIDType implements ColumnComparator {

  private static final int LENGTH = 16;

  @Override
  public String typeName() {
    return "TimeUUIDType";
  }

  @Override
  public int compare(byte[] left, byte[] right) {
    if (left.length != LENGTH || right.length != LENGTH) {
      return Integer.compare(left.length, right.length);
    }
    long leftHigh = NameNumbers.at(left, 0);
    long rightHigh = NameNumbers.at(right, 0);
    int result = Long.compare(time(leftHigh), time(rightHigh));
    if (result == 0) {
      result = Long.compareUnsigned(leftHigh, rightHigh);
    }
    return result != 0
        ? result
        : Long.compareUnsigned(NameNumbers.at(left, 8), NameNumbers.at(right, 8));
  }

  /**
   * The low, middle and high part of the time are stored in that order; the version precedes the
   * high part.
   */
  private static long time(long high) {
    return (high & 0xfff) << 48 | (high >>> 16 & 0xffff) << 32 | high >>> 32;
  }

  @Override
  public void validate(byte[] name) throws InvalidNameException {
    NameText.requireLength(typeName(), name, LENGTH);
    if (name.length == LENGTH && (name[6] & 0xf0) != 0x10) {
      throw new InvalidNameException(
          "TimeUUIDType names are UUIDs of version 1; this one has version "
              + ((name[6] & 0xf0) >> 4));
    }
  }

  @Override
  public String display(byte[] name) {
    return NameText.displayUuid(name);
  }

  @Override
  public byte[] parse(String text) throws InvalidNameException {
    byte[] name = NameText.uuid(typeName(), text);
    validate(name);
    return name;
  }
}
