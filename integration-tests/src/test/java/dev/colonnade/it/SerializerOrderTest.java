package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.client.Serializer;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.TimeUuids;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.InvalidNameException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The client's serializers keep the order that they promise under the node's comparators. */
final class SerializerOrderTest {

  private static final int PAIRS = 5_000;

  @Test
  void bytesAreUnsigned() throws InvalidNameException {
    ordered(
        Serializers.BYTES,
        ColumnComparators.BYTES,
        random -> {
          byte[] bytes = new byte[random.nextInt(4)];
          random.nextBytes(bytes);
          return bytes;
        },
        Arrays::compareUnsigned);
  }

  @Test
  void textIsByCodePoints() throws InvalidNameException {
    ordered(
        Serializers.UTF8,
        ColumnComparators.UTF8,
        random -> text(random, Character.MAX_CODE_POINT + 1),
        (left, right) -> Arrays.compare(left.codePoints().toArray(), right.codePoints().toArray()));
    ordered(
        Serializers.ASCII,
        ColumnComparators.ASCII,
        random -> text(random, 128),
        Comparator.naturalOrder());
  }

  @Test
  void numbersAreSigned() throws InvalidNameException {
    ordered(
        Serializers.INT,
        ColumnComparators.INTEGER,
        random -> random.nextInt() >> random.nextInt(Integer.SIZE),
        Comparator.naturalOrder());
    Function<Random, Long> longs = random -> random.nextLong() >> random.nextInt(Long.SIZE);
    ordered(Serializers.LONG, ColumnComparators.LONG, longs, Comparator.naturalOrder());
    ordered(Serializers.LONG, ColumnComparators.INTEGER, longs, Comparator.naturalOrder());
    ordered(
        Serializers.DOUBLE,
        ColumnComparators.LONG,
        random ->
            switch (random.nextInt(4)) {
              case 0 -> random.nextGaussian();
              case 1 -> (double) (random.nextInt(5) - 2) * 0.0;
              case 2 -> random.nextBoolean() ? Double.NaN : Double.NEGATIVE_INFINITY;
              default -> Double.longBitsToDouble(random.nextLong());
            },
        Double::compare);
    ordered(
        Serializers.LONG,
        ColumnComparators.BYTES,
        random -> longs.apply(random) >>> 1,
        Long::compare);
    ordered(
        Serializers.INT,
        ColumnComparators.BYTES,
        random -> random.nextInt() >>> 1,
        Integer::compare);
    ordered(
        Serializers.BOOLEAN,
        ColumnComparators.BYTES,
        Random::nextBoolean,
        Comparator.naturalOrder());
  }

  @Test
  void packedDoublesAreOrderedFromZeroOn() throws InvalidNameException {
    Function<Random, Double> doubles =
        random ->
            switch (random.nextInt(3)) {
              case 0 -> 0.0;
              case 1 -> Math.floor(random.nextDouble() * 2e15);
              default -> Double.longBitsToDouble(random.nextLong() >>> 2);
            };
    ordered(Serializers.PACKED_DOUBLE, ColumnComparators.LONG, doubles, Double::compare);
    ordered(Serializers.PACKED_DOUBLE, ColumnComparators.BYTES, doubles, Double::compare);
    Function<Random, Double> below = random -> -doubles.apply(random);
    ordered(
        Serializers.PACKED_DOUBLE,
        ColumnComparators.LONG,
        below,
        (left, right) -> right.compareTo(left));
    for (ColumnComparator comparator :
        new ColumnComparator[] {ColumnComparators.LONG, ColumnComparators.BYTES}) {
      int behind = comparator == ColumnComparators.LONG ? -1 : 1;
      assertEquals(behind, compare(Serializers.PACKED_DOUBLE, comparator, -0.0, 0.0));
      assertEquals(behind, compare(Serializers.PACKED_DOUBLE, comparator, -1.0, 1.0));
    }
  }

  @Test
  void uuidsAreAsInJavaAndMomentsAreByTime() throws InvalidNameException {
    ordered(
        Serializers.UUIDS,
        ColumnComparators.LEXICAL_UUID,
        random -> new UUID(random.nextLong() >> random.nextInt(64), random.nextLong()),
        Comparator.naturalOrder());
    ordered(
        Serializers.INSTANT,
        ColumnComparators.LONG,
        SerializerOrderTest::moment,
        Comparator.naturalOrder());
    ordered(
        Serializers.INSTANT,
        ColumnComparators.INTEGER,
        SerializerOrderTest::moment,
        Comparator.naturalOrder());
    ordered(
        Serializers.INSTANT,
        ColumnComparators.BYTES,
        random -> moment(random).plusSeconds(10_000_000_000L),
        Comparator.naturalOrder());
    ordered(
        Serializers.TIME_UUID,
        ColumnComparators.TIME_UUID,
        random -> TimeUuids.firstOf(moment(random)),
        Comparator.comparing(TimeUuids::instantOf));
  }

  @Test
  void aMomentsUuidsLieBetweenItsFirstAndItsLast() throws InvalidNameException {
    TimeUuids uuids = new TimeUuids();
    for (int i = 0; i < PAIRS; i++) {
      UUID uuid = uuids.now();
      Instant moment = TimeUuids.instantOf(uuid);
      assertEquals(-1, signum(TimeUuids.firstOf(moment), uuid));
      assertEquals(-1, signum(uuid, TimeUuids.lastOf(moment)));
      assertEquals(-1, signum(TimeUuids.lastOf(moment), TimeUuids.firstOf(moment.plusNanos(100))));
    }
  }

  private static int signum(UUID left, UUID right) throws InvalidNameException {
    return compare(Serializers.TIME_UUID, ColumnComparators.TIME_UUID, left, right);
  }

  private static <T> void ordered(
      Serializer<T> serializer,
      ColumnComparator comparator,
      Function<Random, T> values,
      Comparator<T> order)
      throws InvalidNameException {
    long seed = comparator.typeName().hashCode();
    Random random = new Random(seed);
    for (int i = 0; i < PAIRS; i++) {
      T left = values.apply(random);
      T right = values.apply(random);
      assertEquals(
          Integer.signum(order.compare(left, right)),
          compare(serializer, comparator, left, right),
          () -> left + " and " + right + " under " + comparator.typeName() + ", seed " + seed);
    }
  }

  private static <T> int compare(
      Serializer<T> serializer, ColumnComparator comparator, T left, T right)
      throws InvalidNameException {
    byte[] leftBytes = serializer.toBytes(left);
    byte[] rightBytes = serializer.toBytes(right);
    comparator.validate(leftBytes);
    comparator.validate(rightBytes);
    return Integer.signum(comparator.compare(leftBytes, rightBytes));
  }

  /** Within a second of 1970 or within 250 years of it, in whole microseconds. */
  private static Instant moment(Random random) {
    long micros = random.nextLong() >> (10 + random.nextInt(40));
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private static String text(Random random, int codePoints) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      int codePoint = random.nextInt(codePoints);
      boolean surrogate = codePoint >= 0xd800 && codePoint < 0xe000;
      text.appendCodePoint(surrogate ? 'x' : codePoint);
    }
    return text.toString();
  }
}
