package dev.colonnade.cli.shell.value;

import dev.colonnade.client.Serializer;
import java.math.BigInteger;
import java.util.regex.Pattern;

/** Whole numbers of any length, in the fewest bytes of two's complement. */
final class Integers {

  /** Longer ones take long to turn into decimal digits and back. */
  static final int MAX_DIGITS = 2000;

  static final Serializer<BigInteger> SERIALIZER =
      new Serializer<>() {
        @Override
        public byte[] toBytes(BigInteger value) {
          return value.toByteArray();
        }

        @Override
        public BigInteger fromBytes(byte[] bytes) {
          return new BigInteger(bytes);
        }
      };

  private static final int MAX_SHOWN_BITS = 8192;
  private static final Pattern DIGITS = Pattern.compile("[+-]?[0-9]{1," + MAX_DIGITS + "}");

  private Integers() {}

  static BigInteger read(String text) {
    if (!DIGITS.matcher(text).matches()) {
      throw new IllegalArgumentException(text.length() + " characters are not a whole number");
    }
    return new BigInteger(text);
  }

  /** Throws if it takes long to show; then it is shown as bytes. */
  static Shown show(BigInteger value) {
    if (value.bitLength() > MAX_SHOWN_BITS) {
      throw new IllegalArgumentException("a number of " + value.bitLength() + " bits");
    }
    return new Shown(value.toString(), Shown.Form.TEXT);
  }
}
