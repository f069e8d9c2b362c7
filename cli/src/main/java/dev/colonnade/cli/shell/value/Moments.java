package dev.colonnade.cli.shell.value;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;

/** Reads moments and dates, in UTC unless they name an offset. */
final class Moments {

  /** The finest that a time UUID can tell. */
  private static final Duration TICK = Duration.ofNanos(100);

  private static final int DATE_LENGTH = 10;

  private Moments() {}

  /**
   * A moment as {@code 2010-05-01T10:00:00Z}, or a date.
   *
   * @param edge of a date, the first or last moment of the day
   * @throws IllegalArgumentException if it is neither
   */
  static Instant read(String text, Edge edge) {
    try {
      if (text.length() == DATE_LENGTH) {
        LocalDate date = LocalDate.parse(text);
        LocalDate midnight = edge == Edge.FIRST ? date : date.plusDays(1);
        Instant moment = midnight.atStartOfDay(ZoneOffset.UTC).toInstant();
        return edge == Edge.FIRST ? moment : moment.minus(TICK);
      }
      TemporalAccessor moment =
          DateTimeFormatter.ISO_DATE_TIME.parseBest(
              text.replace(' ', 'T'), OffsetDateTime::from, LocalDateTime::from);
      return moment instanceof OffsetDateTime withOffset
          ? withOffset.toInstant()
          : LocalDateTime.from(moment).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(text + " is not a moment", e);
    }
  }
}
