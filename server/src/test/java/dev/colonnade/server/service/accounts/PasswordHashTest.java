package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Hashes of passwords. */
final class PasswordHashTest {

  private static final byte[] SALT = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

  private static char[] chars(String text) {
    return text.toCharArray();
  }

  @Test
  void aHashMatchesItsPasswordAndNoOther() {
    String hash = PasswordHash.of(chars("pässword"), SALT, 10);
    assertTrue(PasswordHash.matches(chars("pässword"), hash));
    for (String other : List.of("", "p", "passwörd", "pässword ", "Pässword")) {
      assertFalse(PasswordHash.matches(chars(other), hash), other);
    }
  }

  @Test
  void theSaltMakesHashesOfOnePasswordDiffer() {
    assertNotEquals(
        PasswordHash.of(chars("password"), SALT, 10),
        PasswordHash.of(chars("password"), new byte[16], 10));
  }

  /** The stored form does not change: nodes of other versions read it. Computed with Python. */
  @Test
  void theStoredFormIsFixed() {
    assertEquals(
        "pbkdf2-sha512:1000:AQIDBAUGBwgJCgsMDQ4PEA==:ymnV4OezvNrY8xIiTg4jqRkGLwBcm85oFZ02CPp85zI=",
        PasswordHash.of(chars("password"), SALT, 1000));
  }

  @Test
  void whatIsNoHashMatchesNothing() {
    for (String bad :
        List.of(
            "",
            "password",
            "pbkdf2-sha512:10",
            "pbkdf2-sha512:0:AAAA:AAAA",
            "pbkdf2-sha512:-1:AAAA:AAAA",
            "pbkdf2-sha512:99999999999:AAAA:AAAA",
            "pbkdf2-sha512:10000001:AAAA:AAAA",
            "pbkdf2-sha512:10::AAAA",
            "pbkdf2-sha512:10:!:AAAA",
            "md5:10:AAAA:AAAA")) {
      assertFalse(PasswordHash.matches(chars("password"), bad), bad);
    }
  }
}
