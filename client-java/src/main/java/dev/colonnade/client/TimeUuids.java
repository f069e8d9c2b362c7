package dev.colonnade.client;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * UUIDs of version 1, which hold the moment of their making in units of 100 nanoseconds. An
 * instance makes no UUID twice; instances differ by 62 random bits. Thread-safe.
 *
 * <pre>{@code
 * SuperColumnFamily<String, UUID, String, String> comments =
 *     client
 *         .keyspace("Blog")
 *         .superColumnFamily(
 *             "Comments",
 *             Serializers.UTF8,
 *             Serializers.TIME_UUID,
 *             Serializers.UTF8,
 *             Serializers.UTF8);
 * UUID comment = client.timeUuids().now();
 * comments.insert("a-post", comment, "author", "Bob");
 * Instant anHourAgo = TimeUuids.instantOf(comment).minusSeconds(3600);
 * Slice<UUID> lately = Slice.from(TimeUuids.firstOf(anHourAgo));
 * System.out.println(comments.count("a-post", lately)); // prints 1
 * Slice<UUID> before = Slice.<UUID>all().before(TimeUuids.firstOf(anHourAgo));
 * System.out.println(comments.count("a-post", before)); // prints 0
 * }</pre>
 */
public final class TimeUuids {

  /** Seconds from 15 October 1582, where these UUIDs begin to count, to 1970. */
  private static final long SECONDS_TO_1970 = 12_219_292_800L;

  private static final long TICKS_PER_SECOND = 10_000_000L;
  private static final int NANOS_PER_TICK = 100;
  private static final long MAX_TICKS = (1L << 60) - 1;
  private static final long VERSION_1 = 0x1000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long MULTICAST = 0x0100_0000_0000L;

  private final Clock clock;
  private final long low;
  private final AtomicLong lastTicks = new AtomicLong();

  /** On the system's clock, with a random node and sequence, as RFC 9562 allows. */
  public TimeUuids() {
    this(Clock.systemUTC(), new SecureRandom().nextLong());
  }

  TimeUuids(Clock clock, long random) {
    this.clock = clock;
    this.low = VARIANT | MULTICAST | (random & (-1L >>> 2));
  }

  /** A UUID of now, later than every one before from this instance, also if the clock goes back. */
  public UUID now() {
    long ticks = ticks(clock.instant());
    return uuid(lastTicks.updateAndGet(last -> Math.max(last + 1, ticks)), low);
  }

  /**
   * The first in TimeUUIDType order of all UUIDs of a moment: where a slice from it begins.
   *
   * @throws IllegalArgumentException if the moment is before 1582 or after 5236
   */
  public static UUID firstOf(Instant moment) {
    return uuid(ticks(moment), 0);
  }

  /**
   * The last in TimeUUIDType order of all UUIDs of a moment, which is 100 nanoseconds long.
   *
   * @throws IllegalArgumentException if the moment is before 1582 or after 5236
   */
  public static UUID lastOf(Instant moment) {
    return uuid(ticks(moment), -1);
  }

  /**
   * The moment that a UUID holds.
   *
   * @throws IllegalArgumentException if it is not of version 1
   */
  public static Instant instantOf(UUID uuid) {
    if (uuid.version() != 1) {
      throw new IllegalArgumentException(
          uuid + " has version " + uuid.version() + "; only version 1 holds a time");
    }
    // Not UUID.timestamp(), which refuses the other variants that firstOf and lastOf make.
    long high = uuid.getMostSignificantBits();
    long ticks = (high & 0xfff) << 48 | (high >>> 16 & 0xffff) << 32 | high >>> 32;
    return Instant.ofEpochSecond(
        ticks / TICKS_PER_SECOND - SECONDS_TO_1970, ticks % TICKS_PER_SECOND * NANOS_PER_TICK);
  }

  private static long ticks(Instant moment) {
    long seconds = moment.getEpochSecond() + SECONDS_TO_1970;
    if (seconds < 0 || seconds > MAX_TICKS / TICKS_PER_SECOND - 1) {
      throw new IllegalArgumentException(moment + " is outside of what a UUID of version 1 holds");
    }
    return seconds * TICKS_PER_SECOND + moment.getNano() / NANOS_PER_TICK;
  }

  private static UUID uuid(long ticks, long low) {
    long high = ticks << 32 | (ticks >>> 16 & 0xffff_0000L) | VERSION_1 | ticks >>> 48;
    return new UUID(high, low);
  }
}
