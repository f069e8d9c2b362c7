package dev.colonnade.server.base.model;

import java.util.HexFormat;

/**
 * The immutable 128-bit identity of a column family, assigned when it is created. A dropped and
 * re-created family of the same name has another id, so nothing of the old one can show up in the
 * new one. Directory names, log records and file headers carry it.
 */
public record FamilyId(long high, long low) implements Comparable<FamilyId> {

  /** 32 lower-case hexadecimal digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }

  /**
   * Parses the output of {@link #toString}.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public static FamilyId parse(String text) {
    if (text.length() != 32) {
      throw new IllegalArgumentException("a family id has 32 hexadecimal digits: " + text);
    }
    return new FamilyId(
        HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
  }

  @Override
  public int compareTo(FamilyId other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }
}
