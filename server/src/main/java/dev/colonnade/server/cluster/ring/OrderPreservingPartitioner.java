package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.env.RandomSource;
import java.nio.ByteBuffer;

/**
 * Keys in the order of Java strings, which is that of UTF-16 code units: it differs from the order
 * of UTF-8 bytes above U+FFFF. The token is the key in UTF-16, big-endian.
 */
final class OrderPreservingPartitioner implements Partitioner {

  private static final String LETTERS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int RANDOM_CHARACTERS = 16;

  /** The maximum length of a key: 65,535 bytes are at most as many characters. */
  private static final int MAX_CHARACTERS = 65_535;

  @Override
  public String name() {
    return "OrderPreservingPartitioner";
  }

  @Override
  public byte[] tokenOf(byte[] key) throws InvalidKeyException {
    return encode(TextKeys.decode(name(), key));
  }

  @Override
  public boolean preservesOrder() {
    return true;
  }

  @Override
  public String printToken(byte[] token) {
    // Not a decoder: a midpoint may hold half of a surrogate pair, and must print as it is.
    return ByteBuffer.wrap(token).asCharBuffer().toString();
  }

  @Override
  public byte[] parseToken(String text) throws InvalidTokenException {
    if (text.length() > MAX_CHARACTERS) {
      throw new InvalidTokenException(
          "a token of "
              + name()
              + " has at most "
              + MAX_CHARACTERS
              + " characters; got "
              + TokenText.quote(text));
    }
    return encode(text);
  }

  @Override
  public byte[] midpoint(byte[] left, byte[] right) {
    return withoutHalfPairs(TokenText.midpoint(left, right, Character.BYTES));
  }

  /**
   * Averaging can make half of a surrogate pair, which no client can send back in a string. The
   * nearest whole character replaces it and the rest is dropped: a little off the middle, which
   * does no harm, and still between the two tokens.
   */
  private static byte[] withoutHalfPairs(byte[] token) {
    String text = ByteBuffer.wrap(token).asCharBuffer().toString();
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (Character.isLowSurrogate(unit)) {
        return encode(text.substring(0, i) + Character.toString(Character.MAX_CODE_POINT));
      }
      if (Character.isHighSurrogate(unit)) {
        char next = i + 1 < text.length() ? text.charAt(i + 1) : 0;
        if (!Character.isLowSurrogate(next)) {
          char low =
              next < Character.MIN_LOW_SURROGATE
                  ? Character.MIN_LOW_SURROGATE
                  : Character.MAX_LOW_SURROGATE;
          return encode(text.substring(0, i + 1) + low);
        }
        i++;
      }
    }
    return token;
  }

  @Override
  public byte[] randomToken(RandomSource random) {
    StringBuilder token = new StringBuilder(RANDOM_CHARACTERS);
    while (token.length() < RANDOM_CHARACTERS) {
      token.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return encode(token.toString());
  }

  private static byte[] encode(String text) {
    ByteBuffer token = ByteBuffer.allocate(text.length() * Character.BYTES);
    token.asCharBuffer().put(text);
    return token.array();
  }
}
