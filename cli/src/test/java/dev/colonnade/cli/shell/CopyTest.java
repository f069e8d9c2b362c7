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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
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

  @ParameterizedTest
  @ValueSource(strings = {"csv", "jsonl"})
  void bytesThatAreNotUtf8AreABadRecordAndAreKeptAsTheyAre(String extension) throws Exception {
    Path file = temporary.resolve("latin1." + extension);
    String json = "{\"key\":%s,\"column\":\"name\",\"value\":\"%s\"}\n";
    String form = extension.equals("csv") ? "%s,name,\"%s\"\n" : json;
    StringBuilder text = new StringBuilder(extension.equals("csv") ? "key,column,value\n" : "");
    for (int i = 0; i < 3_000; i++) {
      text.append(String.format(form, i, i == 1_500 ? "caf\u00e9" : "v"));
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    Files.write(file, bytes);

    String told = shell.answerOrFailure("copy A from '" + file + "'");

    String line = extension.equals("csv") ? "line 1502" : "line 1501";
    assertTrue(told.contains("1 of 3,000 records cannot be copied"), told);
    assertTrue(told.contains("the first is at " + line + ": it is not UTF-8"), told);
    assertEquals(
        (extension.equals("csv") ? "key,column,value\n" : "")
            + String.format(form, 1_500, "caf\u00e9"),
        Files.readString(Path.of(file + ".bad"), StandardCharsets.ISO_8859_1));
    assertEquals("2999 Keys Returned.", last(shell.answer("keys A limit 3000")));
    Files.delete(Path.of(file + ".bad"));
  }

  /** A quote too many swallows neither the good lines up to the next quote nor the rest. */
  @Test
  void aQuoteTooManyIsOneBadRecord() throws Exception {
    Path file = temporary.resolve("quotes.csv");
    Files.writeString(
        file,
        "key,column,value\n"
            + "1,name,\"Ann\n"
            + "2,name,Bob\n"
            + "3,name,\"Carl, the\n"
            + "\"\"first\"\"\"\n"
            + "4,name,D\"an\n"
            + "5,name,\"Eve\"x\n"
            + "6,name,\"Fay\n"
            + "7,name,Guy\n");

    String told = shell.answerOrFailure("copy A from '" + file + "'");

    assertTrue(told.contains("3 of 7 records cannot be copied"), told);
    assertTrue(told.contains("the first is at line 2: there is text between"), told);
    assertEquals(
        "key,column,value\n1,name,\"Ann\n5,name,\"Eve\"x\n6,name,\"Fay\n",
        Files.readString(Path.of(file + ".bad")));
    assertEquals("4 Keys Returned.", last(shell.answer("keys A limit 100")));
    assertTrue(shell.answer("get A[3]['name']").contains("Carl, the\\n\"first\""));
    assertTrue(shell.answer("get A[4]['name']").contains("D\"an"));
  }

  @Test
  void headingsAndFieldsKeepTheirSpaces() throws Exception {
    Path file = temporary.resolve("spaces.csv");
    Files.writeString(file, "key, column,value\n1,name,x\n");
    assertRefused(
        "copy A from '" + file + "'", "no field ' column'; spaces beside a comma belong to the");
    Files.writeString(file, "\ufeffkey,column,value\n1,name, x \n");

    assertTrue(shell.answer("copy A from '" + file + "'").startsWith("Copied 1 column from"));

    assertTrue(shell.answer("get A[1]['name']").contains("value= x ,"));
  }

  @Test
  void anArrayOfJsonIsNamedAsOne() throws Exception {
    Path file = temporary.resolve("array.json");
    for (String text :
        List.of(
            "[{\"key\":1,\"column\":\"name\",\"value\":\"x\"}]\n",
            "[\n{\"key\":1,\"column\":\"name\",\"value\":\"x\"}\n]\n")) {
      Files.writeString(file, text);

      String told = shell.answerOrFailure("copy A from '" + file + "'");

      assertTrue(told.contains("line 1: it begins an array of JSON"), told);
    }
    Files.delete(Path.of(file + ".bad"));
  }

  @Test
  void linksAreFollowedAndKept() throws Exception {
    String unused = shell.answer("set A[1]['name'] = 'x'");
    Path place = Files.createDirectory(temporary.resolve("elsewhere"));
    Path real = Files.writeString(place.resolve("real.csv"), "old");
    Path link =
        Files.createSymbolicLink(temporary.resolve("link.csv"), Path.of("elsewhere/real.csv"));
    Path fresh =
        Files.createSymbolicLink(temporary.resolve("fresh.csv"), Path.of("elsewhere/new.csv"));

    unused = shell.answer("copy A to '" + link + "'; copy A to '" + fresh + "';");

    assertTrue(Files.isSymbolicLink(link));
    assertTrue(Files.isSymbolicLink(fresh));
    assertTrue(Files.readString(real).contains("\n1,name,x,"), Files.readString(real));
    assertEquals(Files.readString(real), Files.readString(place.resolve("new.csv")));
    Path loop = Files.createSymbolicLink(temporary.resolve("loop.csv"), Path.of("loop.csv"));
    assertRefused("copy A to '" + loop + "'", "cannot write");
  }

  @Test
  void aPipeIsWrittenAndRemainsAPipe() throws Exception {
    String unused = shell.answer("set A[1]['name'] = 'x'");
    Path pipe = temporary.resolve("pipe.csv");
    Path read = temporary.resolve("read.csv");
    Assumptions.assumeTrue(
        new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "no mkfifo");
    Process reader =
        new ProcessBuilder("cat", pipe.toString()).redirectOutput(read.toFile()).start();

    String told = shell.answer("copy A to '" + pipe + "'");

    assertTrue(told.startsWith("Copied 1 column of 1 row"), told);
    assertEquals(0, reader.waitFor());
    assertTrue(Files.readString(read).contains("\n1,name,x,"), Files.readString(read));
    assertTrue(Files.readAttributes(pipe, BasicFileAttributes.class).isOther());
    assertRefused("copy A to '" + temporary + "' with format = csv", "cannot write");
    assertTrue(shell.answer("copy A to '/dev/null' with format = csv").startsWith("Copied 1 "));
    assertTrue(Files.readAttributes(Path.of("/dev/null"), BasicFileAttributes.class).isOther());
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
    assertRefused(
        "copy A from '" + temporary + "/none.csv'", "none.csv: no such file or directory");
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
