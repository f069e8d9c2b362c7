package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.model.DataLimits;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;

/** What the partitioners share: hexadecimal tokens, and fractions of any precision. */
final class TokenText {

  private static final int QUOTED_CHARACTERS = 60;

  private static final int MAX_HEX_CHARACTERS = 2 * DataLimits.TOKEN_BYTES;

  private TokenText() {}

  static String quote(String text) {
    return text.length() <= QUOTED_CHARACTERS
        ? '"' + text + '"'
        : '"' + text.substring(0, QUOTED_CHARACTERS) + "…\" (" + text.length() + " characters)";
  }

  static byte[] parseHex(String partitioner, String text) throws InvalidTokenException {
    if (text.length() <= MAX_HEX_CHARACTERS) {
      try {
        return HexFormat.of().parseHex(text);
      } catch (IllegalArgumentException e) {
        // Refused below, with the rule in the message.
      }
    }
    throw new InvalidTokenException(
        "a token of "
            + partitioner
            + " is an even number of hexadecimal digits; got "
            + quote(text));
  }

  /**
   * Returns the token half way between two tokens read as fractions, digit by digit from the front.
   * The result has as many digits as the longer one, and one more when it falls between two such
   * fractions.
   *
   * @param digitBytes bytes of one digit; both tokens are whole digits
   */
  static byte[] midpoint(byte[] left, byte[] right, int digitBytes) {
    int length = Math.max(Math.max(left.length, right.length), digitBytes);
    BigInteger from = new BigInteger(1, Arrays.copyOf(left, length));
    BigInteger to = new BigInteger(1, Arrays.copyOf(right, length));
    BigInteger circle = BigInteger.ONE.shiftLeft(8 * length);
    BigInteger distance = to.subtract(from);
    if (distance.signum() <= 0) {
      distance = distance.add(circle);
    }
    BigInteger middle = from.add(distance.shiftRight(1)).mod(circle);
    byte[] digits = middle.toByteArray();
    byte[] token = new byte[distance.testBit(0) ? length + digitBytes : length];
    int significant = Math.min(digits.length, length);
    System.arraycopy(digits, digits.length - significant, token, length - significant, significant);
    if (token.length > length) {
      token[length] = (byte) 0x80;
    }
    return token;
  }
}
