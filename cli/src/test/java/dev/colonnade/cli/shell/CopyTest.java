package dev.colonnade.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Families that are copied to files and back, and the statement capture. */
@Timeout(120)
final class CopyTest {

  @TempDir private static Path temporary;

  private static LocalNode node;
  private static ShellRun shell;

  @BeforeAll
  static void startNode() throws Exception {
    node = LocalNode.start(temporary.resolve("data"));
    shell = new ShellRun(node.port());
  }

  @AfterAll
  static void stopNode() throws Exception {
    shell.close();
    node.close();
  }

  @BeforeEach
  void makeKeyspace() throws Exception {
    String unused = shell.answerOrFailure("drop keyspace Copied;");
    unused =
        shell.answer(
            """
            create keyspace Copied; use Copied;
            create column family A with comparator = UTF8Type and key_type = LongType
              and column_value_types = {visits: LongType};
            create column family S with column_type = Super and comparator = LongType
              and subcomparator = TimeUUIDType;
            create column family Raw;
            """);
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "jsonl"})
  void whatIsCopiedToAFileAndBackIsTheSame(String extension) throws Exception {
    String unused =
        shell.answer(
            """
            set A[7]['name'] = 'Ann, "the\\\\first"\\n\\tof them' with timestamp = 1;
            set A[7]['visits'] = 42 with timestamp = 2 and ttl = 86400;
            set A[-1]['0x12'] = '' with timestamp = 3;
            set A[0x6162]['Grüße'] = 0x00ff with timestamp = 4;
            set S['k'][5][timeuuid('2010-05-01T10:00:00Z')] = '0xff' with timestamp = 5;
            set S['k'][5][timeuuid('2011-05-01T10:00:00Z')] = ' ' with timestamp = 6;
            set S['k,"'][9223372036854775807][timeuuid('2010-05-01T10:00:00Z')] = 'x';
            """);
    for (String family : List.of("A", "S")) {
      Path file = temporary.resolve(family + "." + extension);
      String before = shell.answer("list " + family + " limit 100");

      String told = shell.answer("copy " + family + " to '" + file + "'");
      unused = shell.answer("truncate " + family);
      String back = shell.answer("copy " + family + " from '" + file + "'");

      assertTrue(
          told.startsWith(family.equals("A") ? "Copied 4 columns of 3 rows" : "Copied 3"), told);
      assertTrue(back.startsWith(family.equals("A") ? "Copied 4 columns from" : "Copied 3"), back);
      assertEquals(before, shell.answer("list " + family + " limit 100"));
      assertFalse(Files.exists(temporary.resolve(family + "." + extension + ".bad")));
    }
  }

  @Test
  void longRowsAndAnyBytesAreCopied() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Path file = temporary.resolve("raw.csv");
    try (Colonnade client = Colonnade.connect("127.0.0.1:" + node.port())) {
      ColumnFamily<byte[], byte[], byte[]> raw =
          client
              .keyspace("Copied")
              .columnFamily("Raw", Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
      List<Column<byte[], byte[]>> columns = new ArrayList<>();
      for (int i = 0; i < 2_500; i++) {
        columns.add(Column.of(("c" + i).getBytes(UTF_8), bytes(random)));
      }
      raw.insertAll("long".getBytes(UTF_8), columns);
      for (int i = 0; i < 300; i++) {
        raw.insert(("k" + i).getBytes(UTF_8), new byte[] {1}, bytes(random));
      }
      List<String> before = everything(raw);

      assertTrue(
          shell.answer("copy Raw to '" + file + "'").startsWith("Copied 2,800 columns of 301 rows"),
          "seed " + seed);
      String unused = shell.answer("truncate Raw; copy Raw from '" + file + "'");

      assertEquals(before, everything(raw), "seed " + seed);
    }
  }

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(6)];
    random.nextBytes(bytes);
    return random.nextBoolean()
        ? bytes
        : "a,\"\n\r\\' 0x".substring(random.nextInt(8)).getBytes(UTF_8);
  }

  private static List<String> everything(ColumnFamily<byte[], byte[], byte[]> raw) {
    List<String> all = new ArrayList<>();
    List<byte[]> keys = new ArrayList<>(List.of("long".getBytes(UTF_8)));
    for (int i = 0; i < 300; i++) {
      keys.add(("k" + i).getBytes(UTF_8));
    }
    for (byte[] key : keys) {
      raw.slice(key, Slice.all())
          .forEach(
              each ->
                  all.add(
                      new String(key, UTF_8)
                          + java.util.HexFormat.of().formatHex(each.name())
                          + "="
                          + java.util.HexFormat.of().formatHex(each.value())
                          + each.timestampMicros()));
    }
    return all;
  }

  @Test
  void badRecordsAreKeptAndTheOthersCopied() throws Exception {
    Path file = temporary.resolve("mixed.csv");
    String long65k = "n".repeat(65_536);
    Files.writeString(
        file,
        "column,key,value,timestamp\n"
            + "name,1,Ann,1\n"
            + "name,one,Joe,1\n"
            + "\n"
            + "visits,2,many,1\n"
            + "name,3,\"two\nlines\",1\n"
            + "name,4\n"
            + "name,5,x,soon\n"
            + "name,6,0xabc,1\n"
            + long65k
            + ",7,x,1\n"
            + "name,8,Eve,1");

    String told = shell.answerOrFailure("copy A from '" + file + "'");

    assertTrue(
        told.startsWith(
            "! typed:1: 6 of 9 records cannot be copied, and are in "
                + file
                + ".bad; the first is"
                + " at line 3: the key: 'one' does not fit LongType"),
        told);
    String bad = Files.readString(Path.of(file + ".bad"));
    assertEquals(
        "column,key,value,timestamp\nname,one,Joe,1\nvisits,2,many,1\nname,4\nname,5,x,soon\n"
            + "name,6,0xabc,1\n"
            + long65k
            + ",7,x,1\n",
        bad);
    assertEquals("3 Keys Returned.", last(shell.answer("keys A limit 100")));
    assertTrue(shell.answer("get A[3]['name']").contains("two\\nlines"));
  }

  @Test
  void aTimeToLiveThatIsNoneIsABadRecord() throws Exception {
    Path file = temporary.resolve("ttl.csv");
    Files.writeString(
        file, "key,column,value,ttl\n1,name,a,0\n2,name,b,-5\n3,name,c,9999999999\n4,name,d,60\n");

    String told = shell.answerOrFailure("copy A from '" + file + "'");

    assertTrue(told.contains("3 of 4 records cannot be copied"), told);
    assertTrue(told.contains("line 2: ttl is from 1 to 2147483647 seconds; got 0"), told);
    assertEquals("1 Key Returned.", last(shell.answer("keys A limit 100")));
  }

  @Test
  void whatATypeShowsInShortIsCopiedAsItsBytes() throws Exception {
    String unused =
        shell.answer(
            """
            create column family Numbers with key_type = IntegerType and value_type = IntegerType;
            set Numbers[0x0001]['a'] = 0x00000002;
            set Numbers[0x01]['a'] = 2;
            """);
    Path file = temporary.resolve("numbers.csv");

    unused = shell.answer("copy Numbers to '" + file + "'; truncate Numbers;");
    unused = shell.answer("copy Numbers from '" + file + "'");

    assertEquals("2 Keys Returned.", last(shell.answer("keys Numbers limit 100")));
    assertTrue(
        shell
            .answer("assume Numbers validator as bytes; get Numbers[0x0001]['a'];")
            .contains("0x00000002"));
  }

  @Test
  void theFileOfBadRecordsIsNotTheOneThatIsRead() throws Exception {
    Path file = temporary.resolve("same.csv");
    Files.writeString(file, "key,column,value\nbad,name,x\n");

    assertRefused("copy A from '" + file + "' with bad_rows = '" + file + "'", "would be lost");

    assertEquals("key,column,value\nbad,name,x\n", Files.readString(file));
  }

  @Test
  void skipGoesOnWhereARunEnded() throws Exception {
    Path file = temporary.resolve("skipped.jsonl");
    Files.writeString(
        file,
        """
        {"key":"1","column":"name","value":"a"}

        {"key":2,"column":"name","value":"b","timestamp":"77","ttl":1000}
        {"key":"3","column":"name","value":"c"}
        """);

    String told = shell.answer("copy A from '" + file + "' with skip = 1 and format = json");

    assertTrue(told.startsWith("Copied 2 columns from"), told);
    assertEquals("2 Keys Returned.", last(shell.answer("keys A limit 100")));
    assertTrue(shell.answer("get A[2]").contains("timestamp=77, ttl=1000"));
  }

  @Test
  void aFileThatBreaksOffTellsWhereToGoOn() throws Exception {
    Path file = temporary.resolve("broken.csv");
    StringBuilder records = new StringBuilder("key,column,value\n");
    for (int i = 0; i < 2_000; i++) {
      records.append(i).append(",name,the value of that record\n");
    }
    byte[] good = records.toString().getBytes(UTF_8);
    byte[] broken = java.util.Arrays.copyOf(good, good.length + 1);
    broken[good.length] = (byte) 0xff;
    Files.write(file, broken);

    String told = shell.answerOrFailure("copy A from '" + file + "'");

    assertTrue(told.contains("cannot read " + file), told);
    java.util.regex.Matcher copied =
        java.util.regex.Pattern.compile("The first ([0-9,]+) records have been copied; .*`with")
            .matcher(told);
    assertTrue(copied.find(), told);
    int first = Integer.parseInt(copied.group(1).replace(",", ""));
    assertTrue(first > 1_000, told);
    assertEquals(first + " Keys Returned.", last(shell.answer("keys A limit 3000")));
    Files.write(file, good);
    told = shell.answer("copy A from '" + file + "' with skip = " + first);
    assertTrue(told.contains("Copied "), told);
    assertEquals("2000 Keys Returned.", last(shell.answer("keys A limit 3000")));
  }

  @Test
  void whatAnotherCopyIsWritingIsNotOverwritten() throws Exception {
    Path file = temporary.resolve("busy.csv");
    Path part = temporary.resolve("busy.csv.part");
    Files.writeString(part, "what another one writes");

    assertRefused("copy A to '" + file + "'", part + " exists: another copy to this file");

    assertEquals("what another one writes", Files.readString(part));
    assertFalse(Files.exists(file));
    Files.delete(part);
    assertTrue(shell.answer("copy A to '" + file + "'").startsWith("Copied 0 columns"));
    assertFalse(Files.exists(part));
  }

  @Test
  void filesThatAreNotWhatTheyShouldBeAreRefusedWithTheReason() throws Exception {
    Path file = temporary.resolve("heading.csv");
    Files.writeString(file, "key,colum,value\n");
    assertRefused("copy A from '" + file + "'", "there is no field 'colum'");
    Files.writeString(file, "key,super_column,column,value\n");
    assertRefused("copy A from '" + file + "'", "a Standard family has no super columns");
    Files.writeString(file, "key,column,value\n");
    assertRefused("copy S from '" + file + "'", "there is no super_column");
    assertRefused("copy A from '" + temporary + "/none.csv'", "nosuchfile");
    assertRefused("copy A to '" + temporary + "/none/x.csv'", "cannot write");
    assertRefused("copy A to 'x.txt'", "end it with .csv or .jsonl");
    assertRefused("copy A to 'x' with format = xml", "there is no format xml; there are csv, json");
    assertRefused("copy A to 'x.csv' with skip = 1", "skip is for copy … from");
    assertRefused("copy Nowhere to 'x.csv'", "has no column family Nowhere");
  }

  private static void assertRefused(String statement, String reason) {
    String told = shell.answerOrFailure(statement + ";");
    assertTrue(told.startsWith("! "), told);
    assertTrue(told.contains(reason), told);
  }

  @Test
  void answersAreCapturedUntilItIsSwitchedOff() throws IOException, Exception {
    Path file = temporary.resolve("answers.txt");
    Files.writeString(file, "before\n");

    String told = shell.answer("capture '" + file + "'; count A[1]; capture off; count A[2];");

    assertEquals(
        "Answers are also written to "
            + file
            + ".\n0 columns\nAnswers are not written to a file.\n"
            + "0 columns\n",
        told);
    assertEquals(
        "before\nAnswers are also written to " + file + ".\n0 columns\n", Files.readString(file));
    assertRefused("capture '" + temporary + "/none/x'", "cannot write");
  }

  private static String last(String answer) {
    List<String> lines = answer.lines().toList();
    return lines.get(lines.size() - 1);
  }
}
