package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.RowKey;
import java.util.Arrays;

/**
 * Turns row keys into tokens, and so decides which node owns a row and in which order rows lie.
 *
 * <p>A token is a byte string compared unsigned; that of a key has at most {@value
 * dev.colonnade.server.base.model.DataLimits#KEY_TOKEN_BYTES} bytes. The empty token is the
 * minimum: it sorts before the token of every key, and stands for both ends of the ring.
 *
 * <p>This is also the interface of a user's own partitioner: a public class with a public
 * constructor without parameters, in a jar in the node's plug-in folder, named by its class name.
 * The partitioner is fixed when a cluster first starts, and a key's token must never change after
 * that.
 *
 * <p>Implementations are stateless and thread-safe and must not change the arrays they are given.
 */
public interface Partitioner {

  /** The name that answers show: short for the built-in ones, the class name otherwise. */
  String name();

  /**
   * The token of a key, never empty unless the key is; the empty key maps to the minimum.
   *
   * @throws InvalidKeyException if the partitioner cannot place such a key
   */
  byte[] tokenOf(byte[] key) throws InvalidKeyException;

  /** Whether tokens sort as keys do, so that a range between two keys means something. */
  boolean preservesOrder();

  /** A token as text, in the form that {@link #parseToken} reads. The minimum has a text too. */
  String printToken(byte[] token);

  /**
   * Parses a token. A token outside of the range of keys' tokens is moved to the nearest end;
   * {@link #compareTokenTexts} sees it before that.
   *
   * @throws InvalidTokenException if the text is no token
   */
  byte[] parseToken(String text) throws InvalidTokenException;

  /**
   * Returns a token half way from {@code left} clockwise to {@code right}; half way around the
   * whole ring when they are equal.
   */
  byte[] midpoint(byte[] left, byte[] right);

  /** Returns a token for a node without a configured one. */
  byte[] randomToken(RandomSource random);

  /** The token before all others. */
  default byte[] minimumToken() {
    return new byte[0];
  }

  /**
   * Compares two token texts as requests mean them: negative, zero or positive. Differs from
   * comparing parsed tokens only if parsing moves a token into range.
   *
   * @throws InvalidTokenException if a text is no token
   */
  default int compareTokenTexts(String left, String right) throws InvalidTokenException {
    return Arrays.compareUnsigned(parseToken(left), parseToken(right));
  }

  /**
   * A key with its token.
   *
   * @throws InvalidKeyException if the partitioner cannot place such a key, or makes a token of it
   *     that is too long to be stored
   */
  default RowKey rowKey(byte[] key) throws InvalidKeyException {
    byte[] token = tokenOf(key);
    if (token.length > DataLimits.KEY_TOKEN_BYTES) {
      throw new InvalidKeyException(
          "this key has a token of "
              + token.length
              + " bytes under "
              + name()
              + ", and a token has at most "
              + DataLimits.KEY_TOKEN_BYTES
              + "; use a shorter key");
    }
    return new RowKey(token, key);
  }
}
