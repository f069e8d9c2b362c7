package dev.colonnade.server.base.codec;

import java.util.Arrays;

/**
 * What fuzzers of messages ask: any input is read or refused, and encodes to what reads the same.
 */
public final class Reencoding {

  /** Decodes a body and encodes what it meant. */
  public interface Again {
    byte[] of(int message, byte[] body) throws CorruptDataException;
  }

  private Reencoding() {}

  /**
   * Checks one input.
   *
   * @param data a byte that says which message it is, and its body
   * @param what the subject of the messages, for the error
   */
  public static void check(byte[] data, String what, Again again) throws CorruptDataException {
    if (data.length == 0) {
      return;
    }
    byte[] written;
    try {
      written = again.of(data[0], Arrays.copyOfRange(data, 1, data.length));
    } catch (CorruptDataException refused) {
      return;
    }
    if (!Arrays.equals(written, again.of(data[0], written))) {
      throw new AssertionError("a message of " + what + " changes when it is read back");
    }
  }
}
