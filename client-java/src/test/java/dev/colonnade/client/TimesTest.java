package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class TimesTest {

  private static final Instant MOMENT = Instant.parse("2009-08-25T12:00:00.123456700Z");
  private static final Clock STOPPED = Clock.fixed(MOMENT, ZoneOffset.UTC);

  @Test
  void timestampsGrowWhileTheClockStands() {
    Timestamps timestamps = new Timestamps(STOPPED);
    long first = timestamps.next();
    assertEquals(1_251_201_600_123_456L, first);
    assertEquals(first + 1, timestamps.next());
    assertEquals(first + 2, timestamps.next());
  }

  @Test
  void uuidsGrowWhileTheClockStands() {
    TimeUuids uuids = new TimeUuids(STOPPED, 42);
    UUID first = uuids.now();
    UUID second = uuids.now();
    assertEquals(MOMENT, TimeUuids.instantOf(first));
    assertEquals(MOMENT.plusNanos(100), TimeUuids.instantOf(second));
    assertEquals(1, first.version());
    assertEquals(2, first.variant());
    assertEquals(first.timestamp() + 1, second.timestamp());
  }

  @Test
  void aMomentsBoundsHoldTheMoment() {
    assertEquals(MOMENT, TimeUuids.instantOf(TimeUuids.firstOf(MOMENT)));
    assertEquals(MOMENT, TimeUuids.instantOf(TimeUuids.lastOf(MOMENT)));
    Instant before1970 = Instant.parse("1582-10-15T00:00:00Z");
    assertEquals(before1970, TimeUuids.instantOf(TimeUuids.firstOf(before1970)));
  }

  @Test
  void whatHoldsNoTimeIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> TimeUuids.instantOf(UUID.randomUUID()));
    Instant early = Instant.parse("1582-10-14T23:59:59Z");
    assertThrows(IllegalArgumentException.class, () -> TimeUuids.firstOf(early));
    assertThrows(IllegalArgumentException.class, () -> TimeUuids.lastOf(Instant.MAX));
    assertTrue(new TimeUuids().now().version() == 1);
  }
}
