package dev.colonnade.server.service.accounts;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Salted hashes of passwords by PBKDF2 with HMAC-SHA-512, which every Java platform has. A hash
 * says how it was made: {@code pbkdf2-sha512:ITERATIONS:SALT:HASH}, the last two in base64. To make
 * or check one takes a good part of a second of processor time, so never on an event loop.
 */
public final class PasswordHash {

  /** The fewest iterations that a node may be set to. */
  public static final int ITERATIONS_MIN = 100_000;

  /** The most; a hash of another node that claims more is not computed. */
  public static final int ITERATIONS_MAX = 10_000_000;

  /** The longest password, in characters. */
  public static final int PASSWORD_MAX = 256;

  /** The shortest password. */
  public static final int PASSWORD_MIN = 8;

  static final int SALT_BYTES = 16;

  private static final String SCHEME = "pbkdf2-sha512";
  private static final String ALGORITHM = "PBKDF2WithHmacSHA512";
  private static final int HASH_BITS = 256;

  static final int HASH_BYTES = HASH_BITS / Byte.SIZE;

  private PasswordHash() {}

  /**
   * Hashes a password.
   *
   * @param salt new random bytes
   */
  static String of(char[] password, byte[] salt, int iterations) {
    return text(salt, derive(password, salt, iterations), iterations);
  }

  /** A hash that no password has, to compare with where there is no user. Costs nothing itself. */
  static String ofNoPassword(byte[] salt, byte[] random, int iterations) {
    return text(salt, random, iterations);
  }

  private static String text(byte[] salt, byte[] hash, int iterations) {
    Base64.Encoder base64 = Base64.getEncoder();
    return SCHEME
        + ":"
        + iterations
        + ":"
        + base64.encodeToString(salt)
        + ":"
        + base64.encodeToString(hash);
  }

  /** Whether a hash was made of that password; false for a hash that cannot be read. */
  static boolean matches(char[] password, String hash) {
    String[] parts = hash.split(":", -1);
    if (parts.length != 4 || !parts[0].equals(SCHEME)) {
      return false;
    }
    byte[] salt;
    byte[] expected;
    int iterations;
    try {
      iterations = Integer.parseInt(parts[1]);
      salt = Base64.getDecoder().decode(parts[2]);
      expected = Base64.getDecoder().decode(parts[3]);
    } catch (IllegalArgumentException e) {
      return false;
    }
    if (iterations < 1 || iterations > ITERATIONS_MAX || salt.length == 0) {
      return false;
    }
    return MessageDigest.isEqual(derive(password, salt, iterations), expected);
  }

  private static byte[] derive(char[] password, byte[] salt, int iterations) {
    PBEKeySpec key = new PBEKeySpec(password, salt, iterations, HASH_BITS);
    try {
      return SecretKeyFactory.getInstance(ALGORITHM).generateSecret(key).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    } finally {
      key.clearPassword();
    }
  }

  /** Overwrites a password that is not needed any more. */
  static void clear(char[] password) {
    Arrays.fill(password, '\0');
  }
}
