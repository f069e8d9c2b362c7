package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.env.RandomSource;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Spreads keys evenly: the token is the absolute value of the key's MD5, read as a signed 128-bit
 * number, so it lies in 0 to 2^127. MD5 is no protection here, only an even spread that every
 * client can compute.
 *
 * <p>Stored in sixteen bytes; the minimum, printed as -1, is the empty token.
 */
final class RandomPartitioner implements Partitioner {

  private static final int LENGTH = 16;

  /** Enough for any sensible number, and cheap to parse. */
  private static final int MAX_TEXT_CHARACTERS = 100;

  private static final BigInteger MINIMUM = BigInteger.ONE.negate();
  private static final BigInteger MAXIMUM = BigInteger.ONE.shiftLeft(127);
  private static final byte[] EMPTY = new byte[0];

  /** Only cloned, never fed: looking a digest up by name costs more than a short key's hash. */
  private final MessageDigest pristine = md5();

  @Override
  public String name() {
    return "RandomPartitioner";
  }

  @Override
  public byte[] tokenOf(byte[] key) {
    return key.length == 0 ? EMPTY : absoluteHash(key);
  }

  @Override
  public boolean preservesOrder() {
    return false;
  }

  private byte[] absoluteHash(byte[] input) {
    byte[] hash = newDigest().digest(input);
    if (hash[0] < 0) {
      int carry = 1;
      for (int i = LENGTH - 1; i >= 0; i--) {
        int negated = (~hash[i] & 0xff) + carry;
        hash[i] = (byte) negated;
        carry = negated >> 8;
      }
    }
    return hash;
  }

  private MessageDigest newDigest() {
    try {
      return (MessageDigest) pristine.clone();
    } catch (CloneNotSupportedException e) {
      return md5();
    }
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5, this one has not", e);
    }
  }

  @Override
  public String printToken(byte[] token) {
    return number(token).toString();
  }

  @Override
  public byte[] parseToken(String text) throws InvalidTokenException {
    return clamp(read(text));
  }

  @Override
  public int compareTokenTexts(String left, String right) throws InvalidTokenException {
    return read(left).compareTo(read(right));
  }

  private static BigInteger read(String text) throws InvalidTokenException {
    if (text.length() <= MAX_TEXT_CHARACTERS) {
      try {
        return new BigInteger(text);
      } catch (NumberFormatException e) {
        // Refused below, with the rule in the message.
      }
    }
    throw new InvalidTokenException(
        "a token of RandomPartitioner is a whole number from 0 to 2^127, in decimal digits; got "
            + TokenText.quote(text));
  }

  @Override
  public byte[] midpoint(byte[] left, byte[] right) {
    BigInteger from = number(left);
    BigInteger to = number(right);
    BigInteger distance = to.subtract(from);
    if (distance.signum() <= 0) {
      distance = distance.add(MAXIMUM);
    }
    BigInteger middle = from.add(distance.shiftRight(1));
    return clamp(middle.compareTo(MAXIMUM) > 0 ? middle.subtract(MAXIMUM) : middle);
  }

  @Override
  public byte[] randomToken(RandomSource random) {
    byte[] seed = new byte[LENGTH];
    random.nextBytes(seed);
    return absoluteHash(seed);
  }

  private static BigInteger number(byte[] token) {
    return token.length == 0 ? MINIMUM : new BigInteger(1, token);
  }

  private static byte[] clamp(BigInteger number) {
    if (number.signum() < 0) {
      return EMPTY;
    }
    byte[] digits = number.min(MAXIMUM).toByteArray();
    byte[] token = new byte[LENGTH];
    int from = Math.max(0, digits.length - LENGTH);
    byte[] significant = Arrays.copyOfRange(digits, from, digits.length);
    System.arraycopy(significant, 0, token, LENGTH - significant.length, significant.length);
    return token;
  }
}
