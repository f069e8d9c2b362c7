package dev.colonnade.client;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;

/**
 * The usual serializers. Where one is used for names, the family's comparator must order its bytes;
 * each says which comparator keeps the order of its values. Under another one they are stored just
 * as well, and come in another order.
 *
 * <pre>{@code
 * ColumnFamily<String, Instant, Double> temperatures =
 *     client
 *         .keyspace("Blog")
 *         .columnFamily("Timeline", Serializers.UTF8, Serializers.INSTANT, Serializers.DOUBLE);
 * Instant noon = Instant.parse("2010-07-01T12:00:00Z");
 * temperatures.insert("cellar", noon.plusSeconds(3600), 11.5);
 * temperatures.insert("cellar", noon, 11.0);
 * temperatures.insert("cellar", Instant.parse("1969-07-20T20:17:00Z"), -0.5);
 * System.out.println(temperatures.getAll("cellar", Slice.from(noon)).values());
 * // prints [11.0, 11.5]
 * }</pre>
 */
public final class Serializers {

  /** Bytes as they are. Order: BytesType, unsigned. */
  public static final Serializer<byte[]> BYTES = of(byte[]::clone, bytes -> bytes);

  /** Text in UTF-8. Order: UTF8Type, by code points. */
  public static final Serializer<String> UTF8 = text(StandardCharsets.UTF_8);

  /** Text in seven bits. Order: AsciiType. */
  public static final Serializer<String> ASCII = text(StandardCharsets.US_ASCII);

  /** Four bytes, big-endian. Order: IntegerType; from 0 on also BytesType. */
  public static final Serializer<Integer> INT =
      of(
          value -> ByteBuffer.allocate(Integer.BYTES).putInt(value).array(),
          bytes -> exactly(bytes, Integer.BYTES, "an int").getInt());

  /** Eight bytes, big-endian. Order: LongType or IntegerType; from 0 on also BytesType. */
  public static final Serializer<Long> LONG =
      of(Serializers::eight, bytes -> exactly(bytes, Long.BYTES, "a long").getLong());

  /**
   * Eight bytes: IEEE 754, big-endian, where numbers below zero have all bits but the sign turned
   * over. Order: LongType, as {@link Double#compare}. The bytes are those of {@link #PACKED_DOUBLE}
   * from 0.0 on.
   */
  public static final Serializer<Double> DOUBLE =
      of(
          value -> eight(sortable(Double.doubleToLongBits(value))),
          bytes ->
              Double.longBitsToDouble(
                  sortable(exactly(bytes, Double.BYTES, "a double").getLong())));

  /**
   * Eight bytes: IEEE 754, big-endian, as other languages pack a double. Order: LongType or
   * BytesType, but for numbers from 0.0 on only: those below, and -0.0, come in descending order,
   * under LongType before all others and under BytesType behind them. For such use {@link #DOUBLE}.
   */
  public static final Serializer<Double> PACKED_DOUBLE =
      of(
          value -> eight(Double.doubleToLongBits(value)),
          bytes -> Double.longBitsToDouble(exactly(bytes, Double.BYTES, "a double").getLong()));

  /** One byte, 0 or 1. Order: BytesType, false first. */
  public static final Serializer<Boolean> BOOLEAN =
      of(value -> new byte[] {(byte) (value ? 1 : 0)}, Serializers::bool);

  /** Sixteen bytes of a UUID of any version. Order: LexicalUUIDType, as {@link UUID#compareTo}. */
  public static final Serializer<UUID> UUIDS = of(Serializers::sixteen, Serializers::uuid);

  /** Sixteen bytes of a UUID of version 1. Order: TimeUUIDType, by time. See {@link TimeUuids}. */
  public static final Serializer<UUID> TIME_UUID =
      of(value -> sixteen(version1(value)), bytes -> version1(uuid(bytes)));

  /**
   * A moment as microseconds since 1970 in eight bytes, big-endian; parts of a microsecond are
   * dropped. Order: LongType or IntegerType; from 1970 on also BytesType. As a name it is the only
   * one of its microsecond in a row: where two things may happen at once, take a {@link
   * #TIME_UUID}.
   */
  public static final Serializer<Instant> INSTANT =
      of(
          value -> eight(micros(value)),
          bytes ->
              Instant.EPOCH.plus(
                  exactly(bytes, Long.BYTES, "a moment").getLong(), ChronoUnit.MICROS));

  private Serializers() {}

  private static <T> Serializer<T> of(Function<T, byte[]> to, Function<byte[], T> from) {
    return new Serializer<>() {
      @Override
      public byte[] toBytes(T value) {
        return to.apply(value);
      }

      @Override
      public T fromBytes(byte[] bytes) {
        return from.apply(bytes);
      }
    };
  }

  private static Serializer<String> text(Charset charset) {
    return of(
        text -> isAscii(text) ? text.getBytes(StandardCharsets.ISO_8859_1) : encode(charset, text),
        bytes ->
            isAscii(bytes)
                ? new String(bytes, StandardCharsets.ISO_8859_1)
                : decode(charset, bytes));
  }

  /** Whether each character is the same byte in every charset that there is here. */
  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAscii(byte[] bytes) {
    for (byte each : bytes) {
      if (each < 0) {
        return false;
      }
    }
    return true;
  }

  private static byte[] encode(Charset charset, String text) {
    try {
      ByteBuffer encoded = charset.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("the text cannot be written in " + charset, e);
    }
  }

  private static String decode(Charset charset, byte[] bytes) {
    try {
      return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("the bytes are not text in " + charset, e);
    }
  }

  private static ByteBuffer exactly(byte[] bytes, int length, String what) {
    if (bytes.length != length) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%s has %d bytes, and not %d", what, length, bytes.length));
    }
    return ByteBuffer.wrap(bytes);
  }

  private static byte[] eight(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  /** Its own inverse. */
  private static long sortable(long bits) {
    return bits ^ ((bits >> 63) & Long.MAX_VALUE);
  }

  private static boolean bool(byte[] bytes) {
    byte value = exactly(bytes, 1, "a boolean").get();
    if (value != 0 && value != 1) {
      throw new IllegalArgumentException("a boolean is 0 or 1, and not " + value);
    }
    return value == 1;
  }

  private static byte[] sixteen(UUID value) {
    return ByteBuffer.allocate(2 * Long.BYTES)
        .putLong(value.getMostSignificantBits())
        .putLong(value.getLeastSignificantBits())
        .array();
  }

  private static UUID uuid(byte[] bytes) {
    ByteBuffer buffer = exactly(bytes, 2 * Long.BYTES, "a UUID");
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  private static UUID version1(UUID value) {
    if (value.version() != 1) {
      throw new IllegalArgumentException(
          value + " has version " + value.version() + "; only version 1 holds a time");
    }
    return value;
  }

  private static long micros(Instant value) {
    try {
      // Not ChronoUnit.between, which rounds towards 1970: moments before it would change places.
      return Math.addExact(
          Math.multiplyExact(value.getEpochSecond(), 1_000_000L), value.getNano() / 1_000);
    } catch (ArithmeticException | DateTimeException e) {
      throw new IllegalArgumentException(value + " is out of the range of microseconds", e);
    }
  }
}
