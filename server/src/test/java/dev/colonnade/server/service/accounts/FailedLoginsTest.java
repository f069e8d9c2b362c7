package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Guesses are slowed down, and only guesses. */
final class FailedLoginsTest {

  private final FailedLogins failed = new FailedLogins();
  private long now;

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      failed.failed("bob", "10.0.0.1", now);
    }
  }

  private Duration waiting() {
    return failed.wait("bob", "10.0.0.1", now);
  }

  @Test
  void theFirstFewCostNothing() {
    fail(FailedLogins.FREE);
    assertEquals(Duration.ZERO, waiting());
  }

  @Test
  void theWaitDoublesUpToAMinute() {
    fail(FailedLogins.FREE);
    for (long seconds : new long[] {1, 2, 4, 8, 16, 32, 60, 60, 60}) {
      fail(1);
      assertEquals(Duration.ofSeconds(seconds), waiting());
      now += Duration.ofSeconds(seconds).toNanos();
      assertEquals(Duration.ZERO, waiting());
    }
  }

  @Test
  void otherAccountsAndAddressesDoNotWait() {
    fail(20);
    assertEquals(Duration.ZERO, failed.wait("bob", "10.0.0.2", now));
    assertEquals(Duration.ZERO, failed.wait("eve", "10.0.0.1", now));
  }

  @Test
  void timeForgetsFailuresAndARightPasswordDoesNot() {
    fail(20);
    failed.succeeded("bob", "10.0.0.1");
    assertEquals(Duration.ofMinutes(1), waiting());
    now += Duration.ofMinutes(11).toNanos();
    fail(1);
    assertEquals(Duration.ZERO, waiting());
  }

  /** Each of many addresses has free guesses; all together they have few. */
  @Test
  void allAddressesTogetherHaveOneGuessASecond() {
    for (int i = 0; i < FailedLogins.STRANGERS_FREE; i++) {
      failed.failed("bob", "10.0.1." + i, now);
      assertEquals(Duration.ZERO, failed.wait("bob", "10.0.2.1", now), "after " + (i + 1));
    }
    long guesses = 0;
    for (int tenth = 0; tenth < 600; tenth++) {
      String address = "10.0.3." + tenth;
      if (failed.wait("bob", address, now).isZero()) {
        failed.failed("bob", address, now);
        guesses++;
      }
      now += Duration.ofMillis(100).toNanos();
    }
    assertEquals(60, guesses, "in a minute");
    assertEquals(Duration.ZERO, failed.wait("eve", "10.0.2.1", now), "another account");
  }

  @Test
  void anOwnersAddressDoesNotWaitForStrangers() {
    failed.succeeded("bob", "10.0.0.1");
    for (int i = 0; i < 100; i++) {
      failed.failed("bob", "10.0.1." + i, now);
    }
    assertEquals(Duration.ZERO, waiting());
    assertEquals(Duration.ofSeconds(1), failed.wait("bob", "10.0.2.1", now));
    fail(FailedLogins.FREE + 1);
    assertEquals(Duration.ofSeconds(1), waiting(), "its own failures count");
    assertEquals(Duration.ofSeconds(1), failed.wait("bob", "10.0.2.1", now));
  }

  @Test
  void memoryIsBounded() {
    fail(20);
    for (int i = 0; i < FailedLogins.REMEMBERED - 1; i++) {
      failed.failed("user" + i, "10.0.0.1", now);
    }
    assertTrue(waiting().compareTo(Duration.ZERO) > 0, "it is still remembered");
    failed.failed("one more", "10.0.0.1", now);
    assertEquals(Duration.ZERO, waiting());
  }
}
