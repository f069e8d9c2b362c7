package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.UUID;

/**
 * UUIDs of version 1, made from a given second, so that the demo writes the same names each time. A
 * real program takes them from its UUID library, with its clock and its address.
 */
final class TimeUuids {

  /** Seconds between 15 October 1582, where these UUIDs begin to count, and 1970. */
  private static final long SECONDS_TO_1970 = 12_219_292_800L;

  private static final long TICKS_PER_SECOND = 10_000_000L;
  private static final long VERSION_1 = 0x1000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private TimeUuids() {}

  /**
   * A name for a moment.
   *
   * @param epochSeconds the moment, in seconds since 1970
   * @param node tells apart what happened in the same second, 0 to 2^47
   */
  static ByteString at(long epochSeconds, long node) {
    long ticks = (epochSeconds + SECONDS_TO_1970) * TICKS_PER_SECOND;
    long low = ticks & 0xffff_ffffL;
    long middle = (ticks >>> 32) & 0xffffL;
    long top = (ticks >>> 48) & 0x0fffL;
    long high = (low << 32) | (middle << 16) | VERSION_1 | top;
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
    bytes.putLong(high).putLong(VARIANT | node).flip();
    return ByteString.copyFrom(bytes);
  }

  /** The moment that a UUID of version 1 holds, in UTC. */
  static String shown(ByteString name) {
    if (name.size() != 2 * Long.BYTES) {
      return "(" + name.size() + " bytes, no UUID)";
    }
    ByteBuffer bytes = name.asReadOnlyByteBuffer();
    UUID uuid = new UUID(bytes.getLong(), bytes.getLong());
    if (uuid.version() != 1) {
      return uuid + " (holds no time)";
    }
    return when(uuid.timestamp() / TICKS_PER_SECOND - SECONDS_TO_1970);
  }

  /** A moment for people, in UTC. */
  static String when(long epochSeconds) {
    return SECONDS.format(Instant.ofEpochSecond(epochSeconds));
  }
}
