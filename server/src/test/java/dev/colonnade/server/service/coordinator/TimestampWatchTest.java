package dev.colonnade.server.service.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.coordinator.TimestampWatch.Look;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Timestamps that are no microseconds of about now. */
final class TimestampWatchTest {

  private static final long NOW = Instant.parse("2026-03-01T00:00:00Z").toEpochMilli() * 1_000;
  private static final long HOUR = Duration.ofHours(1).toSeconds() * 1_000_000;

  private final TimestampWatch watch = new TimestampWatch();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final List<ColumnFamily> families = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    SimulatedStore store =
        SimulatedStore.open(new SimFileSystem(), SimulatedStore.TINY, new SimClock());
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    for (String name : List.of("F", "G")) {
      store.await(store.schema().createFamily(FamilyDefinition.of("K", name)));
      families.add(store.family("K", name));
    }
    logged.start();
    logger().addAppender(logged);
  }

  @AfterEach
  void close() {
    logger().detachAppender(logged);
  }

  private static ch.qos.logback.classic.Logger logger() {
    return (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(TimestampWatch.class);
  }

  private void write(ColumnFamily family, long timestamp, long now) {
    byte[] name = {1};
    watch.look(
        family,
        RowUpdate.builder(family.order()).add(Cell.live(name, null, name, timestamp)).build(),
        now);
  }

  @Test
  void aTimestampIsKnownByItsSize() {
    long day = 24 * HOUR;
    assertEquals(Look.SECONDS, TimestampWatch.of(NOW / 1_000_000, NOW));
    assertEquals(Look.MILLISECONDS, TimestampWatch.of(NOW / 1_000, NOW));
    assertEquals(Look.NANOSECONDS, TimestampWatch.of(NOW * 1_000, NOW));
    assertEquals(Look.NANOSECONDS, TimestampWatch.of(Long.MAX_VALUE, NOW));
    assertEquals(Look.AHEAD, TimestampWatch.of(NOW + 2 * day, NOW));
    assertEquals(Look.BEHIND, TimestampWatch.of(NOW - 2 * day, NOW));
    for (long own : new long[] {Long.MIN_VALUE, -NOW, -1, 0, 1, 999_999_999, 20_000_000_000L}) {
      assertNull(TimestampWatch.of(own, NOW), "a version of the program's own: " + own);
    }
  }

  @Test
  void whatIsNearTheClockOrTheProgramsOwnNumberPasses() {
    ColumnFamily family = families.get(0);
    for (long timestamp :
        new long[] {
          NOW, NOW + 23 * HOUR, NOW - 23 * HOUR, 2, 0, Long.MIN_VALUE, Long.MIN_VALUE + 1
        }) {
      write(family, timestamp, NOW);
    }
    for (Look look : Look.values()) {
      assertEquals(0, watch.count(look), look.name());
    }
    assertEquals(List.of(), watch.lately(NOW));
    assertEquals(List.of(), logged.list);
  }

  @Test
  void aFamilyIsLoggedOnceAnHourAndRememberedForOne() {
    for (int i = 0; i < 50; i++) {
      write(families.get(0), NOW / 1_000 + i, NOW + i);
    }
    write(families.get(1), NOW + 48 * HOUR, NOW + 60);
    assertEquals(50, watch.count(Look.MILLISECONDS));
    assertEquals(1, watch.count(Look.AHEAD));
    assertEquals(2, logged.list.size(), logged.list::toString);
    String first = logged.list.get(0).getFormattedMessage();
    assertEquals(
        "K.F: timestamps look like milliseconds; microseconds are expected, and win over them; "
            + NOW / 1_000
            + " was written at "
            + NOW,
        first);
    assertEquals(
        List.of("G", "F"),
        watch.lately(NOW + 61).stream().map(TimestampWatch.Noticed::family).toList());
    assertEquals(List.of(), watch.lately(NOW + 2 * HOUR));

    write(families.get(0), NOW / 1_000, NOW + HOUR);
    assertEquals(3, logged.list.size());
  }

  @Test
  void deletionsCountToo() {
    RowUpdate deletion =
        RowUpdate.builder(families.get(0).order())
            .deleteRow(new DeletionTime(NOW / 1_000_000, NOW / 1_000_000))
            .build();
    watch.look(families.get(0), deletion, NOW);
    assertEquals(1, watch.count(Look.SECONDS));
  }
}
