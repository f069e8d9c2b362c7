package dev.colonnade.cli.shell.value;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.grammar.SyntaxException;
import dev.colonnade.cli.shell.grammar.Vocabulary;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.TimeUuids;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.InvalidNameException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What bytes literals are, and how bytes are shown. */
final class ValueTypesTest {

  private static final UUID NOW = UUID.fromString("8a7b5c00-551b-11df-8000-010203040506");
  private static final UUID RANDOM = UUID.fromString("550e8400-e29b-41d4-a716-446655440000");

  private final ValueTypes types = new ValueTypes(() -> NOW, () -> RANDOM);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          BytesType       | 'aé'               | 61c3a9           | aé
          BytesType       | 42                 | 3432             | 42
          BytesType       | 'a b'              | 612062           | a b
          BytesType       | ''                 | ``               | ``
          BytesType       | 0x00FF             | 00ff             | 0x00ff
          BytesType       | long(1)            | 0000000000000001 | 0x0000000000000001
          BytesType       | bytes('00ff')      | 00ff             | 0x00ff
          BytesType       | bytes(0102)        | 0102             | 0x0102
          BytesType       | bytes(0x01)        | 01               | 0x01
          AsciiType       | abc                | 616263           | abc
          AsciiType       | 42                 | 3432             | 42
          UTF8Type        | 'aé'               | 61c3a9           | aé
          UTF8Type        | -007               | 2d303037         | -007
          UTF8Type        | 0x6162             | 6162             | ab
          UTF8Type        | bytes('6162')      | 6162             | ab
          LongType        | 5                  | 0000000000000005 | 5
          LongType        | '5'                | 0000000000000005 | 5
          LongType        | -1                 | ffffffffffffffff | -1
          LongType        | 9223372036854775807 | 7fffffffffffffff | 9223372036854775807
          LongType        | 0x0000000000000005 | 0000000000000005 | 5
          LongType        | utf8('12345678')   | 3132333435363738 | 3544952156018063160
          IntegerType     | 5                  | 05               | 5
          IntegerType     | 128                | 0080             | 128
          IntegerType     | -128               | 80               | -128
          IntegerType     | 18446744073709551616 | 010000000000000000 | 18446744073709551616
          IntegerType     | long(5)            | 0000000000000005 | 5
          LexicalUUIDType | 550e8400-e29b-41d4-a716-446655440000 | 550e8400e29b41d4a716446655440000 | 550e8400-e29b-41d4-a716-446655440000
          LexicalUUIDType | lexicaluuid()      | 550e8400e29b41d4a716446655440000 | 550e8400-e29b-41d4-a716-446655440000
          LexicalUUIDType | timeuuid()         | 8a7b5c00551b11df8000010203040506 | 8a7b5c00-551b-11df-8000-010203040506
          TimeUUIDType    | timeuuid()         | 8a7b5c00551b11df8000010203040506 | 8a7b5c00-551b-11df-8000-010203040506
          TimeUUIDType    | '8A7B5C00-551b-11df-8000-010203040506' | 8a7b5c00551b11df8000010203040506 | 8a7b5c00-551b-11df-8000-010203040506
          int             | -2                 | fffffffe         | -2
          double          | 1.5                | 3ff8000000000000 | 1.5
          double          | -1                 | c00fffffffffffff | -1.0
          boolean         | TRUE               | 01               | true
          boolean         | boolean(false)     | 00               | false
          instant         | '1970-01-01T00:00:01.5Z' | 000000000016e360 | 1970-01-01T00:00:01.500Z
          instant         | '1970-01-01 01:00:00+01:00' | 0000000000000000 | 1970-01-01T00:00:00Z
          instant         | 1970-01-02         | 000000141dd76000 | 1970-01-02T00:00:00Z
          org.apache.cassandra.db.marshal.LongType | 1 | 0000000000000001 | 1
          com.acme.Mine   | abc                | 616263           | abc
          LongType        | ''                 | ``               | ``
          """)
  void literalTakesTheTypeOfItsPlace(String type, String literal, String bytes, String shown)
      throws Exception {
    ValueType place = types.of(type);

    byte[] made = place.bytes(literal(literal));

    assertEquals(bytes, HexFormat.of().formatHex(made));
    assertEquals(shown, place.show(made));
    assertTrue(place.isValid(made));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          LongType     | abc     | 'abc' does not fit LongType: expected a whole number from -9223372036854775808 to 9223372036854775807, or 8 bytes
          LongType     | 9223372036854775808 | '9223372036854775808' does not fit LongType: expected a whole number from -9223372036854775808 to 9223372036854775807, or 8 bytes
          LongType     | 0x05    | 0x05 does not fit LongType: expected a whole number from -9223372036854775808 to 9223372036854775807, or 8 bytes
          IntegerType  | 1.5     | '1.5' does not fit IntegerType: expected a whole number of at most 2000 digits
          AsciiType    | 'é'     | 'é' does not fit AsciiType: expected text of seven-bit characters
          UTF8Type     | 0xff    | 0xff does not fit UTF8Type: expected text
          UTF8Type     | '\\ud800' | '?' does not fit UTF8Type: expected text
          BytesType    | bytes('zz') | bytes('…') needs hexadecimal digits, two for each byte; for text: utf8('…')
          BytesType    | long()  | long() needs a value, as in long('…')
          TimeUUIDType | lexicaluuid() | lexicaluuid(…) is 0x550e8400e29b41d4a716446655440000, which does not fit TimeUUIDType: expected a UUID of version 1 or a moment as '2010-05-01T10:00:00Z', or the 16 bytes of one
          LexicalUUIDType | 1-1-1-1-1 | '1-1-1-1-1' does not fit LexicalUUIDType: expected a UUID as 550e8400-e29b-41d4-a716-446655440000, or 16 bytes
          boolean      | 1       | '1' does not fit BooleanType: expected true or false, or one byte, 0 or 1
          double       | 1d      | '1d' does not fit DoubleType: expected a number, or 8 bytes
          """)
  void literalOfAnotherTypeIsRefused(String type, String literal, String message)
      throws SyntaxException {
    Literal written = literal(literal);

    LiteralException e = assertThrows(LiteralException.class, () -> types.of(type).bytes(written));

    assertEquals(message, String.valueOf(e.getMessage()).replace('\uD800', '?'));
    assertEquals(7, e.position().column() - (literal.startsWith("bytes(") ? 6 : 0));
  }

  /** Each line: bytes, and what is shown of them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          54756c7361               | Tulsa
          4772c3bcc39f65           | Grüße
          f09f91a9e2808df09f9a80   | \uD83D\uDC69\u200D\uD83D\uDE80
          612062                   | a b
          20                       | 0x20
          0a                       | 0x0a
          c2a0                     | 0xc2a0
          61c3                     | 0x61c3
          ff                       | 0xff
          6100                     | 0x6100
          611b5b324a               | 0x611b5b324a
          61c285                   | 0x61c285
          e280ae61                 | 0xe280ae61
          efbbbf61                 | 0xefbbbf61
          e280a861                 | 0xe280a861
          ee808061                 | 0xee808061
          eda080                   | 0xeda080
          000451c2d3a5c000         | 0x000451c2d3a5c000
          0000000000000005         | 0x0000000000000005
          """)
  void whatHasNoTypeIsTextIfAPersonCanReadIt(String hex, String shown) {
    assertEquals(shown, types.untyped().show(HexFormat.of().parseHex(hex)));
    assertEquals("0x" + hex, types.known("bytes").orElseThrow().show(HexFormat.of().parseHex(hex)));
  }

  @Test
  void linesAndTabsAreText() {
    byte[] letter = "Dear Ann,\n\tcome!\r\n".getBytes(StandardCharsets.UTF_8);

    assertEquals("Dear Ann,\n\tcome!\r\n", types.untyped().show(letter));
  }

  @Test
  void momentMeansItsFirstTimeUuidAndAtTheFarEndItsLast() throws Exception {
    ValueType type = types.of("TimeUUIDType");
    Instant moment = Instant.parse("2010-05-01T10:00:00Z");

    for (String text : List.of("'2010-05-01T10:00:00Z'", "timeuuid('2010-05-01T12:00:00+02:00')")) {
      assertArrayEquals(first(moment), type.bytes(literal(text)));
      assertArrayEquals(first(moment), type.bytes(literal(text), Edge.FIRST));
      assertArrayEquals(last(moment), type.bytes(literal(text), Edge.LAST));
    }
  }

  @Test
  void dateMeansItsWholeDay() throws Exception {
    ValueType type = types.of("timeuuid");
    Literal date = literal("2010-05-01");

    assertArrayEquals(first(Instant.parse("2010-05-01T00:00:00Z")), type.bytes(date, Edge.FIRST));
    assertArrayEquals(
        last(Instant.parse("2010-05-01T23:59:59.9999999Z")), type.bytes(date, Edge.LAST));
  }

  @Test
  void endsOfSlicesTakeInWhatTheyNameUnlessTheyLeaveItOut() {
    // from and to, then after and before: the whole day is in, or out.
    assertEquals(Edge.FIRST, Edge.ofFrom(false, false));
    assertEquals(Edge.LAST, Edge.ofTo(false, false));
    assertEquals(Edge.LAST, Edge.ofFrom(true, false));
    assertEquals(Edge.FIRST, Edge.ofTo(true, false));
    // Reversed, the travel begins at the greater end.
    assertEquals(Edge.LAST, Edge.ofFrom(false, true));
    assertEquals(Edge.FIRST, Edge.ofTo(false, true));
    assertEquals(Edge.FIRST, Edge.ofFrom(true, true));
    assertEquals(Edge.LAST, Edge.ofTo(true, true));
  }

  @Test
  void bytesThatAreNotOfTheTypeAreShownAsBytes() {
    assertEquals(new Shown("0xff", Shown.Form.HEX), types.of("utf8").shown(new byte[] {-1}));
    assertEquals(new Shown("0x80", Shown.Form.HEX), types.of("ascii").shown(new byte[] {-128}));
    assertEquals(new Shown("0x01", Shown.Form.HEX), types.of("long").shown(new byte[] {1}));
    assertEquals(new Shown("0x02", Shown.Form.HEX), types.of("boolean").shown(new byte[] {2}));
    assertEquals(
        Shown.Form.HEX, types.of("timeuuid").shown(Serializers.UUIDS.toBytes(RANDOM)).form());
    byte[] large = new byte[100_000];
    large[1] = 1;
    assertEquals(new Shown("0x" + hex(large), Shown.Form.HEX), types.of("integer").shown(large));
  }

  @Test
  void onlyWhatEveryReaderOfJsonKeepsIsPlain() {
    assertEquals(Shown.Form.TEXT, types.of("long").shown(new byte[8]).form());
    assertEquals(Shown.Form.TEXT, types.of("integer").shown(new byte[1]).form());
    assertEquals(Shown.Form.PLAIN, types.of("int").shown(new byte[4]).form());
    assertEquals(Shown.Form.PLAIN, types.of("boolean").shown(new byte[1]).form());
    assertEquals(Shown.Form.PLAIN, types.of("double").shown(new byte[8]).form());
    byte[] infinite = Serializers.DOUBLE.toBytes(Double.POSITIVE_INFINITY);
    assertEquals(Shown.Form.TEXT, types.of("double").shown(infinite).form());
  }

  @Test
  void emptyBytesAreValidAndShownAsNothing() throws Exception {
    for (String name : types.names()) {
      ValueType type = types.of(name);
      assertTrue(type.isValid(new byte[0]), name);
      assertEquals(new Shown("", Shown.Form.TEXT), type.shown(new byte[0]), name);
      assertEquals(0, type.bytes(literal("''")).length, name);
      assertEquals(0, type.bytes(literal("0x")).length, name);
    }
  }

  @Test
  void everyWordOfTheVocabularyIsAType() {
    Vocabulary.TYPES.forEach(name -> assertTrue(types.known(name).isPresent(), name));
    for (String name : Vocabulary.COMPARATORS) {
      assertEquals(name, types.of(name).name());
    }
    assertFalse(types.known("com.acme.Mine").isPresent());
    assertEquals("com.acme.Mine", types.of("com.acme.Mine").name());
    assertEquals("com.acme.Mine", types.of("com.acme.Mine").toString());
  }

  @Test
  void nodeAndShellHoldTheSameNamesForValid() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (ColumnComparator node : ColumnComparators.all()) {
      ValueType shell = types.of(node.typeName());
      for (int i = 0; i < 500; i++) {
        byte[] name = bytes(random);
        String what = "seed " + seed + ": " + node.typeName() + " 0x" + hex(name);
        assertEquals(isValid(node, name), shell.isValid(name), what);
      }
    }
  }

  @Test
  void whatIsShownReadsAsTheSameBytes() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (String name : types.names()) {
      ValueType type = types.of(name);
      for (int i = 0; i < 300; i++) {
        byte[] value = bytes(random);
        Shown shown = type.shown(value);
        String what = "seed " + seed + ": " + name + " 0x" + hex(value);
        if (shown.form() == Shown.Form.HEX) {
          assertEquals("0x" + hex(value), shown.text(), what);
        } else {
          assertTrue(type.isValid(value), what);
          Literal literal = new Literal.Text(new Position(1, 1), shown.text(), true);
          byte[] again = type.bytes(literal);
          assertEquals(shown, type.shown(again), what);
          // A number of any length has many spellings in bytes; a NaN has many, too.
          if (!type.name().equals("IntegerType") && !shown.text().equals("NaN")) {
            assertArrayEquals(value, again, what);
          }
        }
      }
    }
  }

  private static boolean isValid(ColumnComparator node, byte[] name) {
    try {
      node.validate(name);
      return true;
    } catch (InvalidNameException e) {
      return false;
    }
  }

  /** Of a length that some type has, at times of version 1, at times text. */
  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[new int[] {1, 2, 4, 8, 16, 17}[random.nextInt(6)]];
    random.nextBytes(bytes);
    switch (random.nextInt(4)) {
      case 0 -> {
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] &= 0x7f;
        }
      }
      case 1 -> bytes[0] &= 0x1f;
      case 2 -> Arrays.fill(bytes, (byte) random.nextInt(3));
      default -> {
        if (bytes.length > 6) {
          bytes[6] = (byte) (0x10 | (bytes[6] & 0x0f));
        }
      }
    }
    return bytes;
  }

  private static byte[] first(Instant moment) {
    return Serializers.UUIDS.toBytes(TimeUuids.firstOf(moment));
  }

  private static byte[] last(Instant moment) {
    return Serializers.UUIDS.toBytes(TimeUuids.lastOf(moment));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** As it stands at column 7. */
  private static Literal literal(String text) throws SyntaxException {
    Statement statement = StatementReader.parseAll("get A[" + text + "]").get(0);
    return ((Statement.Get) statement).path().key().orElseThrow();
  }
}
