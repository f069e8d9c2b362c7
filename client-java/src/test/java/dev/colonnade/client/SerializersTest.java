package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class SerializersTest {

  @Test
  void whatIsWrittenIsRead() {
    same(Serializers.UTF8, List.of("", "Łódź", "\uD83D\uDE00", "\u0000"));
    same(Serializers.ASCII, List.of("", "jsmith", "\u007f"));
    same(Serializers.INT, List.of(Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE));
    same(Serializers.LONG, List.of(Long.MIN_VALUE, -1L, 0L, Long.MAX_VALUE));
    same(
        Serializers.DOUBLE,
        List.of(Double.NEGATIVE_INFINITY, -1.5, -0.0, 0.0, Double.MIN_VALUE, 1e300, Double.NaN));
    same(Serializers.BOOLEAN, List.of(true, false));
    same(Serializers.UUIDS, List.of(new UUID(-1, 1), new UUID(0, 0)));
    same(Serializers.TIME_UUID, List.of(TimeUuids.firstOf(Instant.EPOCH)));
    same(
        Serializers.INSTANT,
        List.of(
            Instant.EPOCH, Instant.parse("1912-06-23T01:02:03.000001Z"), Instant.ofEpochSecond(1)));
    assertArrayEquals(
        new byte[] {1, -1},
        Serializers.BYTES.fromBytes(Serializers.BYTES.toBytes(new byte[] {1, -1})));
  }

  @Test
  void doublesFromZeroOnAreTheirPlainBits() {
    assertArrayEquals(
        ByteBuffer.allocate(8).putDouble(1_250_000_000.5).array(),
        Serializers.DOUBLE.toBytes(1_250_000_000.5));
  }

  @Test
  void partsOfAMicrosecondAreDroppedDownwards() {
    Instant moment = Instant.ofEpochSecond(-1, 999_999_999);
    assertEquals(
        Instant.ofEpochSecond(-1, 999_999_000),
        Serializers.INSTANT.fromBytes(Serializers.INSTANT.toBytes(moment)));
  }

  @Test
  void whatHasNoBytesOrIsNotTheirsIsRefused() {
    refused(() -> Serializers.UTF8.toBytes("\uD83D"));
    refused(() -> Serializers.ASCII.toBytes("é"));
    refused(() -> Serializers.UTF8.fromBytes(new byte[] {-1}));
    refused(() -> Serializers.LONG.fromBytes(new byte[7]));
    refused(() -> Serializers.BOOLEAN.fromBytes(new byte[] {2}));
    refused(() -> Serializers.TIME_UUID.toBytes(UUID.randomUUID()));
    refused(() -> Serializers.INSTANT.toBytes(Instant.MAX));
  }

  private static <T> void same(Serializer<T> serializer, List<T> values) {
    for (T value : values) {
      assertEquals(value, serializer.fromBytes(serializer.toBytes(value)));
    }
  }

  private static void refused(Executable action) {
    assertThrows(IllegalArgumentException.class, action);
  }
}
