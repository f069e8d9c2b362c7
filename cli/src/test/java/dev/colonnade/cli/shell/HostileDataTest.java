package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Data that tries to control the terminal, is not text, or is large. */
@Timeout(120)
final class HostileDataTest {

  private static final int MEBIBYTE = 1 << 20;
  private static final int LONG_ROW_VALUE = 1 << 16;
  private static final Pattern HARMFUL = Pattern.compile("[\\p{Cntrl}\\u0080-\\u009f&&[^\\n]]");

  @TempDir private static Path temporary;

  private static LocalNode node;
  private static Colonnade client;
  private static ColumnFamily<String, byte[], byte[]> texts;

  @BeforeAll
  static void startNode() throws Exception {
    node = LocalNode.start(temporary);
    client = Colonnade.connect("127.0.0.1:" + node.port());
    client
        .schema()
        .create(
            KeyspaceDefinition.named("Hostile")
                .with(ColumnFamilyDefinition.standard("Texts", Comparators.UTF8))
                .with(ColumnFamilyDefinition.standard("Raw", Comparators.BYTES)));
    texts =
        client
            .keyspace("Hostile")
            .columnFamily("Texts", Serializers.UTF8, Serializers.BYTES, Serializers.BYTES);
  }

  @AfterAll
  static void stopNode() throws Exception {
    client.close();
    node.close();
  }

  @ParameterizedTest
  @EnumSource(OutputForm.class)
  void noControlCharacterOfTheDataReachesTheOutput(OutputForm form) throws Exception {
    String evil = "\u001b]0;owned\u0007\u001b[2J\r\n\u009b31m\u0000\u202eabc\u2028\ufeff\u007f";
    texts.insert(
        "evil" + evil,
        Serializers.UTF8.toBytes("name" + evil),
        Serializers.UTF8.toBytes("value" + evil));

    try (ShellRun shell = new ShellRun(node.port(), form, Duration.ofSeconds(30))) {
      String assumed = shell.answer("assume Hostile.Texts validator as utf8; list Hostile.Texts");

      assertFalse(HARMFUL.matcher(assumed).find(), assumed);
      assertTrue(assumed.contains("\\u001b]0;owned\\u0007"), assumed);
      for (String turning : List.of("\u202e", "\u2028", "\ufeff")) {
        assertFalse(assumed.contains(turning), assumed);
      }
    }
  }

  @Test
  void bytesThatAreNoTextAreShownAsBytes() throws Exception {
    texts.insert("k", Serializers.UTF8.toBytes("half"), new byte[] {'a', (byte) 0xc3});

    try (ShellRun shell = new ShellRun(node.port())) {
      assertTrue(
          shell.answer("get Hostile.Texts['k']['half']").contains("value=0x61c3, timestamp="));
      assertTrue(
          shell
              .answer("assume Hostile.Texts validator as utf8; get Hostile.Texts['k']['half']")
              .contains("value=0x61c3, timestamp="));
    }
  }

  @Test
  void valueOfAMebibyteComesOutWhole() throws Exception {
    texts.insert(
        "big", Serializers.UTF8.toBytes("b"), Serializers.UTF8.toBytes("x".repeat(MEBIBYTE)));

    try (ShellRun shell = new ShellRun(node.port())) {
      String answer = shell.answer("get Hostile.Texts['big']['b'] as utf8");
      assertTrue(answer.contains("value=" + "x".repeat(MEBIBYTE) + ", timestamp="));
    }
    try (ShellRun shell = new ShellRun(node.port(), OutputForm.TABLE, Duration.ofSeconds(30))) {
      String answer = shell.answer("get Hostile.Texts['big']");
      assertTrue(answer.length() < 1000, "a table cuts its cells");
    }
  }

  /** The row is several times larger than the memory of the process that shows it. */
  @Test
  void longRowIsShownInLittleMemory() throws Exception {
    int columns = 800;
    ColumnFamily<String, Integer, byte[]> raw =
        client
            .keyspace("Hostile")
            .columnFamily("Raw", Serializers.UTF8, Serializers.INT, Serializers.BYTES);
    for (int i = 0; i < columns; i++) {
      raw.insert("long", i, new byte[LONG_ROW_VALUE]);
    }

    Process process = shellWithHeap("32m", "get Hostile.Raw['long'] limit 1000000");
    long characters = 0;
    String last = "";
    try (var lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        characters += line.length();
        last = line.length() > 200 ? line.substring(0, 200) : line;
      }
    }

    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the shell does not end");
    assertEquals(0, process.exitValue(), last);
    assertEquals("Returned " + columns + " results.", last);
    assertTrue(
        characters > 2L * columns * LONG_ROW_VALUE, "only " + characters + " characters came");
  }

  private static Process shellWithHeap(String heap, String statement) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heap,
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.colonnade.cli.Colonnade",
            "shell",
            "--port",
            Integer.toString(node.port()),
            "--timeout",
            "60s",
            "-e",
            statement)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
