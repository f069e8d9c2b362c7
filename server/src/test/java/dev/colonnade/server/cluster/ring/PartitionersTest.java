package dev.colonnade.server.cluster.ring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.node.platform.SeededRandom;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionersTest {

  private static final long SEED = 20101L;

  @Test
  void randomTokensAreTheAbsoluteValueOfTheSignedHash() throws Exception {
    for (int i = 0; i < 200; i++) {
      byte[] key = ("key" + i).getBytes(UTF_8);
      BigInteger expected = new BigInteger(MessageDigest.getInstance("MD5").digest(key)).abs();
      byte[] token = Partitioners.RANDOM.tokenOf(key);
      assertEquals(16, token.length);
      assertEquals(expected.toString(), Partitioners.RANDOM.printToken(token));
      assertArrayEquals(token, Partitioners.RANDOM.parseToken(expected.toString()));
    }
  }

  @Test
  void theEmptyKeyIsTheMinimumEverywhereAndSortsBeforeEveryToken() throws Exception {
    for (Partitioner partitioner : Partitioners.all()) {
      byte[] minimum = partitioner.tokenOf(new byte[0]);
      assertArrayEquals(partitioner.minimumToken(), minimum);
      assertTrue(Arrays.compareUnsigned(minimum, partitioner.tokenOf(new byte[] {0})) < 0);
      assertArrayEquals(minimum, partitioner.parseToken(partitioner.printToken(minimum)));
    }
    assertEquals("-1", Partitioners.RANDOM.printToken(new byte[0]));
  }

  @Test
  void randomTokensOutOfRangeCompareAsNumbersAndAreClamped() throws Exception {
    String highest = BigInteger.ONE.shiftLeft(127).toString();
    String beyond = BigInteger.ONE.shiftLeft(130).toString();
    Partitioner random = Partitioners.RANDOM;
    assertEquals(highest, random.printToken(random.parseToken(beyond)));
    assertEquals("-1", random.printToken(random.parseToken("-77")));
    assertEquals("0", random.printToken(random.parseToken("0")));
    assertTrue(random.compareTokenTexts("-77", "-5") < 0);
    assertTrue(random.compareTokenTexts(beyond, highest) > 0);
    assertEquals(0, random.compareTokenTexts("007", "7"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1.5", "0x10", "12 "})
  void textThatIsNoNumberIsNoRandomToken(String text) {
    assertThrows(InvalidTokenException.class, () -> Partitioners.RANDOM.parseToken(text));
  }

  @Test
  void overlongTokenTextsAreRefused() {
    for (Partitioner partitioner : Partitioners.all()) {
      String text = "1".repeat(2 * DataLimits.TOKEN_BYTES + 2);
      assertThrows(
          InvalidTokenException.class, () -> partitioner.parseToken(text), partitioner.name());
    }
  }

  @ParameterizedTest
  @CsvSource({"RandomPartitioner,false", "OrderPreserving,true", "ByteOrderedPartitioner,true"})
  void onlyOrderedPartitionersAllowRangesBetweenKeys(String name, boolean preserves) {
    assertEquals(preserves, Partitioners.builtIn(name).orElseThrow().preservesOrder());
  }

  @Test
  void orderPreservingSortsAsJavaStringsDo() throws Exception {
    List<String> keys =
        new ArrayList<>(List.of("a", "B", "ab", "\uffee", "\ud83d\ude00", "é", "z"));
    Collections.sort(keys);
    assertEquals(keys, sortedBy(Partitioners.ORDER_PRESERVING, keys));
    // In bytes of UTF-8 these two would be the other way round.
    assertTrue(keys.indexOf("\ud83d\ude00") < keys.indexOf("\uffee"));
  }

  @Test
  void collatingSortsAsADictionaryDoes() throws Exception {
    assertEquals(
        List.of("a", "A", "-a", "b", "B", "-b"),
        sortedBy(Partitioners.COLLATING_ORDER_PRESERVING, List.of("B", "-b", "b", "A", "-a", "a")));
  }

  private static List<String> sortedBy(Partitioner partitioner, List<String> keys)
      throws Exception {
    List<String> shuffled = new ArrayList<>(keys);
    Collections.shuffle(shuffled, new Random(SEED));
    List<RowKey> rows = new ArrayList<>();
    for (String key : shuffled) {
      rows.add(partitioner.rowKey(key.getBytes(UTF_8)));
    }
    Collections.sort(rows);
    return rows.stream().map(row -> new String(row.key(), UTF_8)).toList();
  }

  @Test
  void keysThatAreNoTextAreRefusedByTheTextPartitioners() throws Exception {
    byte[] malformed = {'a', (byte) 0xc0, (byte) 0x80};
    assertThrows(InvalidKeyException.class, () -> Partitioners.ORDER_PRESERVING.tokenOf(malformed));
    assertThrows(
        InvalidKeyException.class,
        () -> Partitioners.COLLATING_ORDER_PRESERVING.tokenOf(malformed));
    assertArrayEquals(malformed, Partitioners.BYTE_ORDERED.tokenOf(malformed));
    assertEquals(16, Partitioners.RANDOM.tokenOf(malformed).length);
  }

  @Test
  void tokensPrintAndParseBack() throws Exception {
    SeededRandom random = new SeededRandom(SEED);
    for (Partitioner partitioner : Partitioners.all()) {
      for (int i = 0; i < 50; i++) {
        byte[] token = partitioner.randomToken(random);
        String text = partitioner.printToken(token);
        assertArrayEquals(token, partitioner.parseToken(text), partitioner.name() + " " + text);
      }
    }
  }

  @Test
  void midpointsLieBetweenTheirEnds() throws Exception {
    SeededRandom random = new SeededRandom(SEED);
    for (Partitioner partitioner : Partitioners.all()) {
      for (int i = 0; i < 200; i++) {
        byte[] left = partitioner.randomToken(random);
        byte[] right = partitioner.randomToken(random);
        byte[] middle = partitioner.midpoint(left, right);
        String because = partitioner.name() + ", seed " + SEED + ", pair " + i;
        assertTrue(new TokenRange(left, right).contains(middle), because);
        assertArrayEquals(middle, partitioner.parseToken(partitioner.printToken(middle)), because);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "RandomPartitioner, 0, 10, 5",
    "RandomPartitioner, 10, 0, 85070591730234615865843651857942052869",
    "OrderPreservingPartitioner, a, c, b",
    "OrderPreservingPartitioner, a, b, a\u8000",
    "ByteOrderedPartitioner, 10, 30, 20",
    "ByteOrderedPartitioner, 10, 11, 1080",
    "ByteOrderedPartitioner, f0, 10, 00",
    "ByteOrderedPartitioner, '', '', 80",
  })
  void midpointHalvesTheWayClockwise(String name, String left, String right, String middle)
      throws Exception {
    Partitioner partitioner = Partitioners.builtIn(name).orElseThrow();
    byte[] found =
        partitioner.midpoint(partitioner.parseToken(left), partitioner.parseToken(right));
    assertEquals(middle, partitioner.printToken(found));
  }

  @ParameterizedTest
  @CsvSource({
    "\ud800\udc00, \ud840\udc00",
    "\ud83d\ude00, \ud83d\ude01",
    "a\udbff\udfff, a\ue000",
    "\ud800\udc00x, \uffff",
    "a, \udbff\udfff"
  })
  void midpointsOfTextAreText(String left, String right) throws Exception {
    Partitioner partitioner = Partitioners.ORDER_PRESERVING;
    byte[] from = partitioner.parseToken(left);
    byte[] to = partitioner.parseToken(right);
    byte[] middle = partitioner.midpoint(from, to);
    String text = partitioner.printToken(middle);
    assertTrue(StandardCharsets.UTF_8.newEncoder().canEncode(text), text);
    assertTrue(Arrays.compareUnsigned(from, middle) <= 0, text);
    assertTrue(Arrays.compareUnsigned(middle, to) <= 0, text);
  }

  @Test
  void namesOfOldFilesAndShortOnesAreAliases() throws PlugInException {
    for (Partitioner partitioner : Partitioners.all()) {
      String name = partitioner.name();
      for (String alias :
          List.of(name, name.replace("Partitioner", ""), "org.apache.cassandra.dht." + name)) {
        assertSame(partitioner, Partitioners.resolve(alias, PlugIns.NONE));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "randompartitioner", "org.apache.cassandra.dht.Other", "com.x.Mine"})
  void unknownPartitionersAreRefused(String name) {
    assertThrows(PlugInException.class, () -> Partitioners.resolve(name, PlugIns.NONE));
  }

  @Test
  void randomTokensAreSpreadEvenly() throws Exception {
    int[] nodes = new int[3];
    BigInteger third = BigInteger.ONE.shiftLeft(127).divide(BigInteger.valueOf(3));
    for (int i = 0; i < 100_000; i++) {
      byte[] token = Partitioners.RANDOM.tokenOf(("user" + i).getBytes(UTF_8));
      nodes[Math.min(2, new BigInteger(1, token).divide(third).intValue())]++;
    }
    for (int keys : nodes) {
      assertEquals(33_333, keys, 1_000, Arrays.toString(nodes));
    }
  }
}
