package dev.colonnade.cli.shell.value;

import dev.colonnade.cli.shell.statement.Literal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Reads the timestamps of columns: as the numbers that they are, or as moments. */
public final class WriteTimes {

  private WriteTimes() {}

  /**
   * A timestamp.
   *
   * @param literal a number as it is, or a moment or a date (its beginning, in UTC), which stands
   *     for its microseconds since 1970
   */
  public static long read(Literal literal) throws LiteralException {
    try {
      if (literal instanceof Literal.Numeral number) {
        return Long.parseLong(number.digits());
      }
      if (literal instanceof Literal.Text text) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Moments.read(text.text(), Edge.FIRST));
      }
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw refused(literal);
    }
    throw refused(literal);
  }

  private static LiteralException refused(Literal literal) {
    return new LiteralException(
        literal.position(),
        "a timestamp is a whole number of 64 bits, in microseconds since 1970 by convention, or a"
            + " moment as '2010-05-01T10:00:00Z'");
  }
}
