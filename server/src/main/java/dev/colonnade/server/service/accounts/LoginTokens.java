package dev.colonnade.server.service.accounts;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that a login gives: {@code colonnade.PAYLOAD.SEAL}, where the payload names the
 * account, when the token ends, and which password it was given for, and the seal is an
 * HMAC-SHA-256 by a key that all nodes have. So every node knows a token of every other one, and
 * keeps none.
 */
final class LoginTokens {

  /** Every token begins so, by which it is told from those of others. */
  static final String PREFIX = "colonnade.";

  static final int KEY_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  /** What a token says. */
  record Claims(String account, long endSeconds, long passwordVersion) {}

  private LoginTokens() {}

  /** A token that ends after {@code lifetime}. */
  static String make(
      byte[] key, String account, long passwordVersion, long nowSeconds, Duration lifetime) {
    String text = (nowSeconds + lifetime.toSeconds()) + ":" + passwordVersion + ":" + account;
    byte[] payload = text.getBytes(StandardCharsets.UTF_8);
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    return PREFIX
        + base64.encodeToString(payload)
        + "."
        + base64.encodeToString(seal(key, payload));
  }

  /** What a token says if it was made with that key; its end is not checked. */
  static @Nullable Claims read(byte[] key, String token) {
    int dot = token.indexOf('.', PREFIX.length());
    if (!token.startsWith(PREFIX) || dot < 0) {
      return null;
    }
    try {
      byte[] payload = Base64.getUrlDecoder().decode(token.substring(PREFIX.length(), dot));
      byte[] sealed = Base64.getUrlDecoder().decode(token.substring(dot + 1));
      if (!MessageDigest.isEqual(seal(key, payload), sealed)) {
        return null;
      }
      String[] parts = new String(payload, StandardCharsets.UTF_8).split(":", 3);
      return parts.length == 3
          ? new Claims(parts[2], Long.parseLong(parts[0]), Long.parseLong(parts[1]))
          : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  static byte[] seal(byte[] key, byte[] payload) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac.doFinal(payload);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }
}
