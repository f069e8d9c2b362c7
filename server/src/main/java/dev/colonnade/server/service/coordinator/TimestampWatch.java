package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices families that are written with timestamps which are not the microseconds of about now:
 * timestamps are only compared, so a client that gives milliseconds loses to everything that others
 * write, and one whose clock is ahead hides it, both without an error.
 *
 * <ul>
 *   <li>It looks at one timestamp of each row and family of a write. That of a right one costs a
 *       comparison.
 *   <li>Numbers too small for a time since 2001 in any unit are taken for versions that the program
 *       numbers itself, and pass.
 *   <li>A family is logged once an hour. At most {@value #FAMILIES_MAX} are remembered; those
 *       beyond are only counted.
 * </ul>
 *
 * <p>Thread-safe; never blocks.
 */
public final class TimestampWatch {

  private static final Logger LOG = LoggerFactory.getLogger(TimestampWatch.class);

  /** How far from this node's clock a timestamp may be, in microseconds. */
  static final long NEAR_MICROS = TimeUnit.DAYS.toMicros(1);

  /** For how long what was seen is remembered, and how often it is logged, in microseconds. */
  static final long PERIOD_MICROS = TimeUnit.HOURS.toMicros(1);

  static final int FAMILIES_MAX = 100;

  private static final long SECONDS_FROM_2001 = 1_000_000_000L;
  private static final long MILLIS_FROM_2001 = SECONDS_FROM_2001 * 1_000;
  private static final long MICROS_FROM_2001 = MILLIS_FROM_2001 * 1_000;
  private static final long NANOS_FROM_2001 = MICROS_FROM_2001 * 1_000;

  /** What a timestamp looks like. */
  public enum Look {
    /** Seconds since 1970. */
    SECONDS("timestamps look like seconds; microseconds are expected, and win over them"),
    /** Milliseconds since 1970. */
    MILLISECONDS("timestamps look like milliseconds; microseconds are expected, and win over them"),
    /** Nanoseconds since 1970. */
    NANOSECONDS("timestamps look like nanoseconds; microseconds are expected, and lose to them"),
    /** Microseconds, more than a day after this node's clock. */
    AHEAD("timestamps are more than a day ahead of this node's clock, and win until then"),
    /** Microseconds, more than a day before this node's clock. */
    BEHIND(
        "timestamps are more than a day behind this node's clock: those of a wrong clock lose, those"
            + " of a copy of old data are right");

    private final String words;

    Look(String words) {
      this.words = words;
    }

    /** What is wrong with the timestamps, for people. */
    public String inWords() {
      return words;
    }
  }

  /**
   * A family that was written with such timestamps.
   *
   * @param timestamp the last that was seen
   * @param seenMicros when, by this node's clock
   */
  public record Noticed(
      String keyspace, String family, Look look, long timestamp, long seenMicros) {}

  /** What is remembered of a family. */
  private record Entry(Noticed noticed, long loggedMicros) {}

  private final Map<FamilyId, Entry> families = new ConcurrentHashMap<>();
  private final Map<Look, LongAdder> counts = new EnumMap<>(Look.class);

  /** Begins with nothing seen. */
  public TimestampWatch() {
    for (Look look : Look.values()) {
      counts.put(look, new LongAdder());
    }
  }

  /** Looks at a timestamp of a write. */
  void look(ColumnFamily family, RowUpdate update, long nowMicros) {
    long timestamp = sample(update);
    if (Math.abs(timestamp - nowMicros) > NEAR_MICROS) {
      Look look = of(timestamp, nowMicros);
      if (look != null) {
        notice(family, look, timestamp, nowMicros);
      }
    }
  }

  private static long sample(RowUpdate update) {
    if (!update.cells().isEmpty()) {
      return update.cells().get(0).timestamp();
    }
    return update.ranges().isEmpty()
        ? update.rowDeletion().timestamp()
        : update.ranges().get(0).deletion().timestamp();
  }

  /**
   * What a timestamp that is not near the clock looks like; null: a number of the program's own.
   */
  static @Nullable Look of(long timestamp, long nowMicros) {
    if (timestamp >= NANOS_FROM_2001) {
      return Look.NANOSECONDS;
    }
    if (timestamp >= MICROS_FROM_2001) {
      return timestamp > nowMicros ? Look.AHEAD : Look.BEHIND;
    }
    if (timestamp >= MILLIS_FROM_2001) {
      return timestamp < 10 * MILLIS_FROM_2001 ? Look.MILLISECONDS : null;
    }
    return timestamp >= SECONDS_FROM_2001 && timestamp < 10 * SECONDS_FROM_2001
        ? Look.SECONDS
        : null;
  }

  private void notice(ColumnFamily family, Look look, long timestamp, long nowMicros) {
    adder(look).increment();
    Entry before = families.get(family.id());
    if (before == null && !hasRoom(nowMicros)) {
      return;
    }
    boolean isDue = before == null || nowMicros - before.loggedMicros() >= PERIOD_MICROS;
    long logged = before == null || isDue ? nowMicros : before.loggedMicros();
    families.put(
        family.id(),
        new Entry(
            new Noticed(family.keyspace(), family.name(), look, timestamp, nowMicros), logged));
    if (isDue) {
      LOG.warn(
          "{}: {}; {} was written at {}",
          family.qualifiedName(),
          look.inWords(),
          timestamp,
          nowMicros);
    }
  }

  private boolean hasRoom(long nowMicros) {
    if (families.size() >= FAMILIES_MAX) {
      families.values().removeIf(entry -> isOver(entry, nowMicros));
    }
    return families.size() < FAMILIES_MAX;
  }

  private static boolean isOver(Entry entry, long nowMicros) {
    return nowMicros - entry.noticed().seenMicros() >= PERIOD_MICROS;
  }

  private LongAdder adder(Look look) {
    return Objects.requireNonNull(counts.get(look));
  }

  /** How many timestamps of a kind were seen since the start, of those that were looked at. */
  public long count(Look look) {
    return adder(look).sum();
  }

  /** The families that were written so within the last hour, the last one first. */
  public List<Noticed> lately(long nowMicros) {
    List<Noticed> noticed = new ArrayList<>();
    for (Entry entry : families.values()) {
      if (!isOver(entry, nowMicros)) {
        noticed.add(entry.noticed());
      }
    }
    noticed.sort(Comparator.comparingLong(Noticed::seenMicros).reversed());
    return noticed;
  }
}
