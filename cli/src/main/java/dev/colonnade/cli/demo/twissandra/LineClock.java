package dev.colonnade.cli.demo.twissandra;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names for the columns of lines: microseconds, each used once. Two columns of one name are one
 * column, so that of two tweets of the same microsecond one would be lost; here the later one takes
 * the next microsecond. Several programs that write into the same lines share the microseconds
 * among them: each has those with a remainder of its own. Thread-safe.
 */
public final class LineClock {

  private final int writer;
  private final int writers;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);

  /** For a program that writes alone. */
  public LineClock() {
    this(0, 1);
  }

  /**
   * @param writer which of the programs this is, from 0
   * @param writers how many programs write into the same lines
   * @throws IllegalArgumentException if the writer is not one of them
   */
  public LineClock(int writer, int writers) {
    if (writer < 0 || writer >= writers) {
      throw new IllegalArgumentException(
          "of " + writers + " writers there is none of number " + writer);
    }
    this.writer = writer;
    this.writers = writers;
  }

  /** The first name at or after a moment that this program may take and has not taken. */
  public long next(Instant moment) {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, moment);
    return last.updateAndGet(before -> mine(Math.max(micros, before + 1)));
  }

  private long mine(long micros) {
    return micros + Math.floorMod(writer - micros, (long) writers);
  }
}
