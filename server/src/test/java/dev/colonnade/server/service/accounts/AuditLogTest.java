package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever a caller sends, a line of the audit log is one event. */
final class AuditLogTest {

  @Test
  void valuesCannotEndALineOrLookLikeOthers() {
    for (String value :
        List.of(
            "a\nb", "a\rb", "a\u001b[31mb", "a\" account=\"root", "a\\", "${jndi:x}", "é\u2028")) {
      String quoted = AuditLog.quoted(value);
      assertTrue(quoted.chars().allMatch(c -> c >= ' ' && c <= '~'), quoted);
      assertFalse(
          quoted.substring(1, quoted.length() - 1).replace("\\\\", "").matches(".*[^\\\\]\".*"),
          quoted);
    }
    assertEquals("\"a\\u000ab\"", AuditLog.quoted("a\nb"));
    assertEquals("\"a\\\"b\"", AuditLog.quoted("a\"b"));
  }

  @Test
  void longValuesAreCut() {
    assertTrue(AuditLog.quoted("x".repeat(1 << 20)).length() < 1_000);
  }
}
