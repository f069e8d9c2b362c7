package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Files that are loaded with the command, and read back. */
@Timeout(120)
final class BulkLoadCommandTest {

  private static final long SEED = 20_261_123L;

  @TempDir private static Path temporary;

  private static LocalNode node;
  private static ShellRun shell;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

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
    String unused = shell.answerOrFailure("drop keyspace Loaded;");
    unused =
        shell.answer(
            """
            create keyspace Loaded; use Loaded;
            create column family A with comparator = UTF8Type and key_type = LongType
              and column_value_types = {visits: LongType};
            create column family S with column_type = Super and comparator = LongType
              and subcomparator = TimeUUIDType;
            """);
  }

  private int load(String... more) {
    List<String> args = new ArrayList<>(List.of("--port", Integer.toString(node.port())));
    args.addAll(List.of("--temp", temporary.toString()));
    args.addAll(List.of(more));
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new CommandLine(new BulkLoadCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args.toArray(String[]::new));
  }

  /** Whatever order the records have, and whichever file they are in, the rows are the same. */
  @Test
  void loadedFilesAreTheSameAsCopiedOnes() throws Exception {
    List<String> records = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      records.add(
          i % 500
              + ",name"
              + i / 500
              + ",\"value, \"\""
              + i
              + "\"\"\","
              + i
              + ","
              + (i % 7 == 0 ? 86_400 : ""));
      records.add(i % 500 + ",visits," + i + "," + (i + 1) + ",");
    }
    Collections.shuffle(records, new Random(SEED));
    String heading = "key,column,value,timestamp,ttl\n";
    Path all = temporary.resolve("all.csv");
    Path first = temporary.resolve("first.csv");
    Path second = temporary.resolve("second.csv");
    Files.writeString(all, heading + String.join("\n", records) + "\n");
    Files.writeString(first, heading + String.join("\n", records.subList(0, 1_500)) + "\n");
    Files.writeString(second, heading + String.join("\n", records.subList(1_500, 4_000)));
    String unused = shell.answer("copy A from '" + all + "'");
    String copied = shell.answer("list A limit 1000");
    unused = shell.answer("truncate A");

    int status = load("--memory", "1", "Loaded.A", first.toString(), second.toString());

    assertEquals(0, status, err.toString());
    assertTrue(
        out.toString().startsWith("Loaded 2,500 columns in 500 rows from 2 files into Loaded.A"),
        out.toString());
    assertEquals(copied, shell.answer("list A limit 1000"));
    assertFalse(Files.exists(temporary.resolve("first.csv.load")), "nothing is left to do");
    assertFalse(Files.exists(temporary.resolve("first.csv.bad")));
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(
          List.of(),
          left.filter(each -> each.toString().contains("colonnade-bulk-load-")).toList());
    }
  }

  @Test
  void superColumnsAreLoadedFromLinesOfJson() throws Exception {
    String unused =
        shell.answer(
            """
            set S['k'][5][timeuuid('2011-05-01T10:00:00Z')] = '0xff' with timestamp = 5;
            set S['k'][5][timeuuid('2010-05-01T10:00:00Z')] = ' ' with timestamp = 6;
            set S['k'][-7][timeuuid('2010-05-01T10:00:00Z')] = 'x' with timestamp = 7;
            set S['other'][1][timeuuid('2010-05-01T10:00:00Z')] = 'y' with timestamp = 8;
            """);
    Path file = temporary.resolve("super.jsonl");
    String before = shell.answer("list S limit 100");
    unused = shell.answer("copy S to '" + file + "'");
    unused = shell.answer("truncate S");

    assertEquals(0, load("-k", "Loaded", "S", file.toString()), err.toString());

    assertEquals(before, shell.answer("list S limit 100"));
  }

  @Test
  void badRecordsAreKeptAndTheRestIsLoaded() throws Exception {
    Path file = temporary.resolve("some.csv");
    Files.writeString(
        file, "key,column,value\n1,name,Ann\nnot a number,name,Bob\n2,,Cid\n3,visits,42\n");

    int status = load("Loaded.A", file.toString());

    assertEquals(4, status, out.toString());
    assertTrue(err.toString().contains("2 of 4 records"), err.toString());
    assertEquals(
        "key,column,value\nnot a number,name,Bob\n2,,Cid\n",
        Files.readString(temporary.resolve("some.csv.bad")));
    String rows = shell.answer("list A limit 100");
    assertTrue(rows.contains("Ann") && rows.contains("42"), rows);
    assertTrue(out.toString().startsWith("Loaded 2 columns in 2 rows"), out.toString());
  }

  @Test
  void whatCannotBeIsRefusedWithTheReason() throws Exception {
    Path file = temporary.resolve("one.csv");
    Files.writeString(file, "key,column,value\n1,name,Ann\n");
    assertEquals(4, load("Loaded.Missing", file.toString()));
    assertTrue(err.toString().contains("no column family Missing"), err.toString());
    assertEquals(4, load("Loaded.A", temporary.resolve("absent.csv").toString()));
    assertTrue(err.toString().contains("cannot read"), err.toString());
    assertEquals(4, load("Loaded.A", temporary.resolve("absent.txt").toString()));
    assertTrue(err.toString().contains("--format"), err.toString());
    assertEquals(2, load("--format", "xml", "Loaded.A", file.toString()));
    assertEquals(2, load("--consistency", "ANY", "Loaded.A", file.toString()));
    Files.writeString(temporary.resolve("one.csv.load"), "no state\n");
    assertEquals(4, load("Loaded.A", file.toString()));
    assertTrue(err.toString().contains("is not the state of a load"), err.toString());
  }
}
