package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.LogLines;
import dev.colonnade.server.sim.SimClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever a caller sends, a line of the audit log is one event. */
final class AuditLogTest {

  private final SimClock clock = new SimClock();
  private final AuditLog audit = new AuditLog(false, clock::monotonicNanos);

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

  @Test
  void refusedCallsOfAnAddressBeyondARateAreCountedAndNotWritten() {
    try (LogLines lines = LogLines.of(AuditLog.NAME)) {
      for (int i = 0; i < 500; i++) {
        audit.denied("bob", "10.0.0.7", "a.B/C", "WRITE");
      }
      audit.denied("eve", "10.0.0.8", "a.B/C", "WRITE");
      assertEquals(AuditLog.FAILURES_MAX + 1, lines.all().size(), "another address has its own");
      clock.advance(Duration.ofMinutes(1));
      audit.denied("bob", "10.0.0.7", "a.B/C", "WRITE");
      assertEquals(
          List.of(
              "event=denied account=\"eve\" address=\"10.0.0.8\" call=\"a.B/C\" needs=\"WRITE\"",
              "event=denied_unwritten address=\"10.0.0.7\" count=" + (500 - AuditLog.FAILURES_MAX),
              "event=denied account=\"bob\" address=\"10.0.0.7\" call=\"a.B/C\" needs=\"WRITE\""),
          lines.all().subList(AuditLog.FAILURES_MAX, AuditLog.FAILURES_MAX + 3));
    }
  }

  /** Who has one address of IPv6 has 2^64. */
  @Test
  void aNetworkOfIpv6HasOneRate() {
    try (LogLines lines = LogLines.of(AuditLog.NAME)) {
      for (int i = 0; i < 500; i++) {
        audit.loginFailed("bob", "2001:db8:0:1:0:0:0:" + i, "wrong password");
      }
      assertEquals(AuditLog.FAILURES_MAX, lines.all().size());
      audit.loginFailed("bob", "2001:db8:0:2:0:0:0:1", "wrong password");
      assertEquals(AuditLog.FAILURES_MAX + 1, lines.all().size());
    }
  }

  @Test
  void manyAddressesDoNotFillTheDisk() {
    try (LogLines lines = LogLines.of(AuditLog.NAME)) {
      for (int i = 0; i < 20_000; i++) {
        audit.loginFailed("bob", "10.0." + i / 250 + "." + i % 250, "wrong password");
      }
      int most = AuditLog.ADDRESSES_MAX + AuditLog.FAILURES_MAX;
      assertEquals(most, lines.all().size());
      clock.advance(Duration.ofMinutes(1));
      audit.loginFailed("bob", "10.9.0.1", "wrong password");
      assertEquals(
          "event=logins_failed_unwritten address=\"others\" count=" + (20_000 - most),
          lines.all().get(most));
      assertEquals(most + 2, lines.all().size());
    }
  }
}
