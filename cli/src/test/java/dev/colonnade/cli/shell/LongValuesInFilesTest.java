package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Serializers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The longest values that a node takes, copied into files, and from there back in both ways. */
@Timeout(120)
final class LongValuesInFilesTest {

  private static final int LONGEST = 15 << 20;
  private static final long SEED = 20_261_127L;

  @TempDir private Path temporary;

  private LocalNode node;
  private ShellRun shell;
  private Colonnade client;
  private byte[] bytes;
  private byte[] text;

  @BeforeEach
  void insert() throws Exception {
    node = LocalNode.start(temporary.resolve("data"), LONGEST);
    shell = new ShellRun(node.port());
    client = Colonnade.connect("127.0.0.1:" + node.port());
    String unused =
        shell.answer(
            """
            create keyspace Films; use Films;
            create column family A with comparator = UTF8Type and key_type = UTF8Type
              and column_value_types = {words: UTF8Type};
            """);
    Random random = new Random(SEED);
    bytes = new byte[LONGEST];
    random.nextBytes(bytes);
    // With what has to be escaped in one of the forms.
    String letters = "abcdefghijklmnopqrstuvwxyz ,\"\n\\0123456789";
    StringBuilder words = new StringBuilder(LONGEST);
    while (words.length() < LONGEST) {
      words.append(letters.charAt(random.nextInt(letters.length())));
    }
    text = words.toString().getBytes(StandardCharsets.US_ASCII);
    family().insert("k", "bytes", bytes);
    family().insert("k", "words", text);
    family().insert("k", "zero", new byte[1]);
    family().insert("other", "words", text);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    shell.close();
    node.close();
  }

  private ColumnFamily<String, String, byte[]> family() {
    return client
        .keyspace("Films")
        .columnFamily("A", Serializers.UTF8, Serializers.UTF8, Serializers.BYTES);
  }

  private void requireAll() {
    assertArrayEquals(bytes, family().get("k", "bytes").orElseThrow());
    assertArrayEquals(text, family().get("k", "words").orElseThrow());
    assertArrayEquals(new byte[1], family().get("k", "zero").orElseThrow());
    assertArrayEquals(text, family().get("other", "words").orElseThrow());
  }

  @Test
  void theyComeBackByCopyAndByBulkLoad() throws Exception {
    Path csv = temporary.resolve("films.csv");
    Path json = temporary.resolve("films.jsonl");
    for (Path file : new Path[] {csv, json}) {
      String copied = shell.answer("copy A to '" + file + "'");
      assertTrue(copied.startsWith("Copied 4 columns of 2 rows"), copied);
    }

    String unused = shell.answer("truncate A");
    String copied = shell.answer("copy A from '" + csv + "'");
    assertTrue(copied.startsWith("Copied 4 columns"), copied);
    requireAll();

    unused = shell.answer("truncate A");
    StringWriter said = new StringWriter();
    int status =
        new CommandLine(new BulkLoadCommand())
            .setOut(new PrintWriter(said))
            .setErr(new PrintWriter(said))
            .execute(
                "--port",
                Integer.toString(node.port()),
                "--temp",
                temporary.toString(),
                "--memory",
                "1",
                "Films.A",
                json.toString());
    assertEquals(0, status, said.toString());
    assertTrue(said.toString().startsWith("Loaded 4 columns in 2 rows"), said.toString());
    requireAll();
  }
}
