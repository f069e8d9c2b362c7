package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Records as columns, and columns as records. */
final class RowMapperTest {

  private enum Colour {
    RED,
    GREEN
  }

  @SuppressWarnings("ArrayRecordComponent") // As programs may have them.
  private record Everything(
      String text,
      int number,
      Integer boxed,
      long wide,
      double fraction,
      boolean flag,
      UUID id,
      Instant moment,
      byte[] bytes,
      Colour colour,
      Optional<String> maybe,
      Optional<Long> maybeWide) {}

  private record User(@ColumnName("full name") String name, Optional<Integer> age) {}

  private record Empty() {}

  private record Twice(@ColumnName("b") String a, String b) {}

  private record Unnamed(@ColumnName("") String a) {}

  private record Strange(Thread thread) {}

  private record Raw(@SuppressWarnings("rawtypes") Optional maybe) {}

  @SuppressWarnings("UnusedMethod") // Its constructor is called by reflection.
  private record Even(int number) {
    Even {
      if (number % 2 != 0) {
        throw new IllegalStateException(number + " is odd");
      }
    }
  }

  private static final RowMapper<User> USERS = RowMapper.of(User.class);

  @Test
  void aRecordOfEveryTypeComesBackAsItWas() {
    RowMapper<Everything> mapper = RowMapper.of(Everything.class);
    Everything before =
        new Everything(
            "ü\u0000𐐷",
            Integer.MIN_VALUE,
            7,
            9_007_199_254_740_993L,
            -0.0,
            true,
            new UUID(1, -1),
            Instant.parse("1969-07-20T20:17:00.000001Z"),
            new byte[] {0, -1},
            Colour.GREEN,
            Optional.of(""),
            Optional.empty());
    List<Column<String, byte[]>> columns = mapper.columns(before);
    assertEquals(11, columns.size());
    assertEquals(List.of("maybeWide"), mapper.absent(before));
    Everything after = mapper.record(columns).orElseThrow();
    assertEquals(before.text(), after.text());
    assertArrayEquals(before.bytes(), after.bytes());
    assertEquals(
        mapper.columns(before).stream().map(each -> List.of(each.name(), hex(each))).toList(),
        mapper.columns(after).stream().map(each -> List.of(each.name(), hex(each))).toList());
    assertEquals(Optional.of(""), after.maybe());
    assertEquals(Optional.empty(), after.maybeWide());
  }

  private static String hex(Column<String, byte[]> column) {
    return HexFormat.of().formatHex(column.value());
  }

  @Test
  void bytesAreThoseOfTheSerializers() {
    Map<String, byte[]> stored = Column.asMap(USERS.columns(new User("Ann", Optional.of(3))));
    assertArrayEquals(Serializers.UTF8.toBytes("Ann"), stored.get("full name"));
    assertArrayEquals(Serializers.INT.toBytes(3), stored.get("age"));
    assertEquals(List.of("full name", "age"), USERS.names());
  }

  @Test
  void columnsThatTheRecordDoesNotHaveAreLeftAlone() {
    assertEquals(
        Optional.of(new User("Ann", Optional.empty())),
        USERS.record(
            List.of(
                Column.of("full name", Serializers.UTF8.toBytes("Ann")),
                Column.of("other", new byte[0]))));
    assertEquals(Optional.empty(), USERS.record(List.of(Column.of("other", new byte[0]))));
    assertEquals(Optional.empty(), USERS.record(List.of()));
  }

  @Test
  void whatIsNoSuchRecordIsRefusedByTheColumnsName() {
    assertRefused(
        "needs the column full name",
        () -> USERS.record(List.of(Column.of("age", Serializers.INT.toBytes(3)))));
    assertRefused(
        "the column age of",
        () ->
            USERS.record(
                List.of(Column.of("full name", new byte[0]), Column.of("age", new byte[] {1, 2}))));
    assertRefused(
        "does not take what the row has: java.lang.IllegalStateException: 3 is odd",
        () ->
            RowMapper.of(Even.class)
                .record(List.of(Column.of("number", Serializers.INT.toBytes(3)))));
  }

  @Test
  @SuppressWarnings("NullAway") // A program without its checks may pass null.
  void nullIsRefused() {
    assertRefused("is null", () -> USERS.columns(new User(null, Optional.empty())));
  }

  @Test
  void otherTypesNeedASerializer() {
    assertRefused("Strange.thread is of java.lang.Thread", () -> RowMapper.of(Strange.class));
    assertRefused("Raw.maybe is of java.util.Optional", () -> RowMapper.of(Raw.class));
    Serializer<Thread> names =
        new Serializer<>() {
          @Override
          public byte[] toBytes(Thread value) {
            return Serializers.UTF8.toBytes(value.getName());
          }

          @Override
          public Thread fromBytes(byte[] bytes) {
            return new Thread(Serializers.UTF8.fromBytes(bytes));
          }
        };
    RowMapper<Strange> mapper = RowMapper.of(Strange.class, Map.of(Thread.class, names));
    Strange read = mapper.record(mapper.columns(new Strange(new Thread("t")))).orElseThrow();
    assertEquals("t", read.thread().getName());
  }

  @Test
  void recordsThatNameNoColumnsAreRefused() {
    assertRefused("has no component", () -> RowMapper.of(Empty.class));
    assertRefused("two components for the column b", () -> RowMapper.of(Twice.class));
    assertRefused("empty name", () -> RowMapper.of(Unnamed.class));
  }

  private static void assertRefused(String part, Runnable action) {
    String message =
        String.valueOf(assertThrows(IllegalArgumentException.class, action::run).getMessage());
    assertTrue(message.contains(part), message);
  }
}
