package dev.colonnade.server.base.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ColumnComparatorsTest {

  @ParameterizedTest
  @CsvSource({
    // Each line: the type, and names in hexadecimal from the first to the last.
    "BytesType, ' 00 0001 01 7f 80 8000 ff'",
    "AsciiType, ' 00 41 4161 42 7f'",
    "UTF8Type, ' 31 33 c3a4 e282ac f09f9880'",
    "LongType, ' 8000000000000000 ffffffffffffffff 0000000000000000 0000000000000001"
        + " 00000000000000ff 0000000000000100 7fffffffffffffff'",
    "LexicalUUIDType, ' 80000000000000000000000000000000 ffffffffffffffffffffffffffffffff"
        + " 00000000000000008000000000000000 0000000000000000ffffffffffffffff"
        + " 00000000000000000000000000000000 7fffffffffffffff7fffffffffffffff'",
    // Time first (its high part is in bytes 6 and 7), then all bytes unsigned.
    "TimeUUIDType, ' ffffffff000010000000000000000000 00000000000110000000000000000000"
        + " 00000000000110007f00000000000000 00000000000110008000000000000000"
        + " 00000000ffff10000000000000000000 00000000000010010000000000000000'",
    "IntegerType, ' ff7fff 8000 ff7f 80 ff 00 01 7f 0080 00ff 0100 7fff 008000'",
  })
  void orderIsThatOfTheList(String typeName, String names) {
    ColumnComparator comparator = ColumnComparators.builtIn(typeName).orElseThrow();
    List<byte[]> sorted = new ArrayList<>();
    for (String hex : names.split(" ")) {
      sorted.add(HexFormat.of().parseHex(hex));
    }
    for (int i = 0; i < sorted.size(); i++) {
      for (int j = 0; j < sorted.size(); j++) {
        int expected = Integer.compare(i, j);
        byte[] left = sorted.get(i);
        byte[] right = sorted.get(j);
        assertDoesNotThrow(() -> comparator.validate(left));
        assertEquals(
            expected,
            Integer.signum(comparator.compare(left, right)),
            typeName + ": names " + i + " and " + j);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "AsciiType, 80",
    "AsciiType, 41ff",
    "UTF8Type, c080",
    "UTF8Type, c1bf",
    "UTF8Type, 80",
    "UTF8Type, e08080",
    "UTF8Type, eda080",
    "UTF8Type, f08080af",
    "UTF8Type, f4908080",
    "UTF8Type, f5808080",
    "UTF8Type, e282",
    "UTF8Type, 61c3",
    "UTF8Type, f09f98",
    "LongType, 00000000000001",
    "LongType, 000000000000000001",
    "LexicalUUIDType, 00",
    "LexicalUUIDType, 0000000000000000000000000000000000",
    "TimeUUIDType, 00000000000040008000000000000000",
    "TimeUUIDType, 00000000000000008000000000000000",
    "TimeUUIDType, 0000000000001000",
  })
  void malformedNamesAreRefusedWithTheTypesName(String typeName, String hex) {
    ColumnComparator comparator = ColumnComparators.builtIn(typeName).orElseThrow();
    byte[] name = HexFormat.of().parseHex(hex);
    InvalidNameException refusal =
        assertThrows(InvalidNameException.class, () -> comparator.validate(name));
    assertTrue(String.valueOf(refusal.getMessage()).startsWith(typeName), refusal.toString());
  }

  @ParameterizedTest
  @CsvSource({"c280", "dfbf", "e0a080", "ed9fbf", "ee8080", "efbfbf", "f0908080", "f48fbfbf", "00"})
  void theEdgesOfUtf8AreAccepted(String hex) throws InvalidNameException {
    ColumnComparators.UTF8.validate(HexFormat.of().parseHex(hex));
  }

  @ParameterizedTest
  @CsvSource({
    "0x, 0x00, 0x0000",
    "0x01, 0x0001, 0x000001",
    "0xff, 0xffff, 0xffffffff",
    "0x80, 0xff80, 0xffff80",
    "0x0080, 0x000080, 0x00000080",
  })
  void integersThatDifferInPaddingOnlyAreTheSame(String a, String b, String c)
      throws InvalidNameException {
    byte[] second = ColumnComparators.BYTES.parse(b);
    byte[] third = ColumnComparators.BYTES.parse(c);
    assertEquals(0, ColumnComparators.INTEGER.compare(second, third));
    byte[] first = ColumnComparators.BYTES.parse(a);
    assertEquals(first.length == 0 ? -1 : 0, ColumnComparators.INTEGER.compare(first, second));
  }

  @Test
  void theArticlesNumbersSortAsNumbersUnderLongAndAsTextUnderUtf8() throws InvalidNameException {
    assertEquals("3 123 976 832416", sorted(ColumnComparators.LONG));
    assertEquals("123 3 832416 976", sorted(ColumnComparators.UTF8));
    assertEquals("3 123 976 832416", sorted(ColumnComparators.INTEGER));
  }

  private static String sorted(ColumnComparator comparator) throws InvalidNameException {
    List<byte[]> names = new ArrayList<>();
    for (String text : List.of("123", "832416", "3", "976")) {
      names.add(comparator.parse(text));
    }
    names.sort(comparator::compare);
    return String.join(" ", names.stream().map(comparator::display).toList());
  }

  @Test
  void namesOfOldFilesAreAliases() {
    for (ColumnComparator comparator : ColumnComparators.all()) {
      assertSame(comparator, ColumnComparators.builtIn(comparator.typeName()).orElseThrow());
      String old = "org.apache.cassandra.db.marshal." + comparator.typeName();
      assertSame(comparator, ColumnComparators.builtIn(old).orElseThrow());
      assertEquals(
          Optional.empty(),
          ColumnComparators.builtIn(comparator.typeName().toLowerCase(Locale.ROOT)));
    }
    assertEquals(Optional.empty(), ColumnComparators.builtIn("com.example.LongType"));
    assertEquals(Optional.empty(), ColumnComparators.builtIn(""));
  }

  @ParameterizedTest
  @CsvSource({
    "BytesType, emailAddress, emailAddress",
    "BytesType, 0x00ff, 0x00ff",
    "BytesType, 0x6162, ab",
    "BytesType, Straße, Straße",
    "LongType, -17, -17",
    "LongType, +17, 17",
    "IntegerType, 340282366920938463463374607431768211456, 340282366920938463463374607431768211456",
    "LexicalUUIDType, 6BA7B810-9dad-41d1-80b4-00c04fd430c8, 6ba7b810-9dad-41d1-80b4-00c04fd430c8",
    "TimeUUIDType, 6ba7b810-9dad-11d1-80b4-00c04fd430c8, 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  })
  void peopleReadWhatTheyTyped(String typeName, String typed, String shown)
      throws InvalidNameException {
    ColumnComparator comparator = ColumnComparators.builtIn(typeName).orElseThrow();
    assertEquals(shown, comparator.display(comparator.parse(typed)));
  }

  @ParameterizedTest
  @CsvSource({
    "BytesType, 0x1",
    "BytesType, 0xzz",
    "AsciiType, ü",
    "UTF8Type, \ud800",
    "LongType, 9223372036854775808",
    "LongType, abc",
    "IntegerType, 1.5",
    "LexicalUUIDType, 1-1-1-1-1",
    "TimeUUIDType, 6ba7b810-9dad-41d1-80b4-00c04fd430c8",
    "TimeUUIDType, now",
  })
  void textThatIsNoNameIsRefused(String typeName, String text) {
    ColumnComparator comparator = ColumnComparators.builtIn(typeName).orElseThrow();
    assertThrows(InvalidNameException.class, () -> comparator.parse(text));
  }

  @Test
  void bytesThatAreNoTextOrLookLikeHexAreShownInHex() throws InvalidNameException {
    byte[] looksLikeHex = "0xzz".getBytes(UTF_8);
    assertEquals("0x30787a7a", ColumnComparators.BYTES.display(looksLikeHex));
    assertArrayEquals(looksLikeHex, ColumnComparators.BYTES.parse("0x30787a7a"));
    assertEquals("0x1b5b326a", ColumnComparators.BYTES.display("\u001b[2j".getBytes(UTF_8)));
  }
}
