package dev.colonnade.server.base.model;

/**
 * Checks UTF-8 according to RFC 3629: no over-long forms, no surrogates, nothing above U+10FFFF.
 */
public final class Utf8 {

  private Utf8() {}

  /** The index of the first byte that does not belong to a well-formed sequence, or -1 if none. */
  public static int firstMalformed(byte[] bytes) {
    int i = 0;
    while (i < bytes.length) {
      int length = sequenceLength(bytes, i);
      if (length == 0) {
        return i;
      }
      i += length;
    }
    return -1;
  }

  /** Bytes of the sequence that starts at {@code at}, or 0 if it is malformed. */
  private static int sequenceLength(byte[] bytes, int at) {
    int first = bytes[at] & 0xff;
    if (first < 0x80) {
      return 1;
    }
    int left = bytes.length - at;
    if (first >= 0xc2 && first <= 0xdf) {
      return left >= 2 && continues(bytes[at + 1]) ? 2 : 0;
    }
    if (first >= 0xe0 && first <= 0xef) {
      return left >= 3 && secondFits(first, bytes[at + 1]) && continues(bytes[at + 2]) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
      return left >= 4
              && secondFits(first, bytes[at + 1])
              && continues(bytes[at + 2])
              && continues(bytes[at + 3])
          ? 4
          : 0;
    }
    return 0;
  }

  /** Over-long forms, surrogates and numbers out of range show in the second byte. */
  private static boolean secondFits(int first, byte second) {
    int value = second & 0xff;
    int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return value >= least && value <= most;
  }

  private static boolean continues(byte value) {
    return (value & 0xc0) == 0x80;
  }
}
