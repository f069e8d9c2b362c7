package dev.colonnade.server.service.accounts;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/**
 * What a caller shows to prove who it is, from the header {@code authorization}: {@code Basic} with
 * name and password in base64, or {@code Bearer} with a token.
 */
sealed interface Credentials {

  /** The longest header that is looked at. */
  int HEADER_MAX = 8 << 10;

  /** A name and its password. */
  @SuppressWarnings("ArrayRecordComponent") // overwritten when it was checked
  record Basic(String account, char[] password) implements Credentials {
    /** Without the password. */
    @Override
    public String toString() {
      return "password of " + account;
    }
  }

  /** A token. */
  record Bearer(String token) implements Credentials {
    /** Without the token. */
    @Override
    public String toString() {
      return "a token";
    }
  }

  /** Reads the header; empty if it is neither, or malformed. */
  static Optional<Credentials> parse(String header) {
    if (header.length() > HEADER_MAX) {
      return Optional.empty();
    }
    int space = header.indexOf(' ');
    if (space < 0) {
      return Optional.empty();
    }
    String rest = header.substring(space + 1).strip();
    return switch (header.substring(0, space).toLowerCase(Locale.ROOT)) {
      case "basic" -> basic(rest);
      case "bearer" -> rest.isEmpty() ? Optional.empty() : Optional.of(new Bearer(rest));
      default -> Optional.empty();
    };
  }

  private static Optional<Credentials> basic(String encoded) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(encoded);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    try {
      CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      int colon = text.toString().indexOf(':');
      if (colon <= 0 || text.length() - colon - 1 > PasswordHash.PASSWORD_MAX) {
        return Optional.empty();
      }
      char[] password = new char[text.length() - colon - 1];
      text.position(colon + 1);
      String name = text.duplicate().position(0).limit(colon).toString();
      text.get(password);
      Arrays.fill(text.array(), '\0');
      return Optional.of(new Basic(name, password));
    } catch (CharacterCodingException e) {
      return Optional.empty();
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }
}
