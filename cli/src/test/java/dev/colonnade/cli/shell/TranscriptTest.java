package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every verb with its answer to the letter, in files: lines with {@code > } are typed, lines with
 * {@code ! } are complaints, and all others are answers, in which moments, UUIDs, sizes and names
 * of nodes have stand-ins. With {@code -Dtranscripts.write=true} the files are rewritten.
 */
@Timeout(120)
final class TranscriptTest {

  private static final Path FILES =
      Path.of("src", "test", "resources", "dev", "colonnade", "cli", "shell", "transcripts");

  @TempDir private static Path temporary;

  private static LocalNode node;

  @BeforeAll
  static void startNode() throws Exception {
    node = LocalNode.start(temporary);
  }

  @AfterAll
  static void stopNode() throws Exception {
    node.close();
  }

  static List<String> transcripts() throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("transcripts")
  void answersAsItDid(String name) throws Exception {
    Path file = FILES.resolve(name);
    String expected = Files.readString(file);
    StringBuilder actual = new StringBuilder();
    try (ShellRun shell = new ShellRun(node.port())) {
      StringBuilder typed = new StringBuilder();
      for (String line : (expected + "\n#").split("\n", -1)) {
        if (line.startsWith("> ")) {
          typed.append(line.substring(2)).append('\n');
          actual.append(line).append('\n');
        } else if (line.startsWith("#")) {
          actual.append(line.equals("#") ? "" : line + "\n");
        }
        if (typed.toString().strip().endsWith(";") && complete(typed.toString())) {
          actual.append(withStandIns(shell.answerOrFailure(typed.toString())));
          typed.setLength(0);
        }
      }
    }
    if (Boolean.getBoolean("transcripts.write")) {
      Files.writeString(file, actual);
      return;
    }
    assertEquals(expected, actual.toString());
  }

  private static boolean complete(String typed) {
    return !typed.startsWith("batch") || typed.strip().endsWith("end;");
  }

  private static String withStandIns(String answer) {
    return answer
        .replaceAll("timestamp=\\d{15,}", "timestamp=NOW")
        .replaceAll("\"timestamp\":\"\\d{15,}\"", "\"timestamp\":\"NOW\"")
        .replaceAll("\\b1[789]\\d{14}\\b", "NOW             ")
        .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID")
        .replaceAll("\\b[0-9a-f]{32}\\b", "ID")
        .replaceAll("127\\.0\\.0\\.1:\\d+", "NODE")
        .replaceAll("(?m)^nightly  NODE \\S+", "nightly  NODE MOMENT              ")
        .replaceAll("Port: \\d+", "Port: PORT")
        .replaceAll("(?m)^Address +DC", "Address  DC")
        .replaceAll("data files: \\d+", "data files: BYTES")
        .replaceAll("Elapsed time: \\d+", "Elapsed time: N")
        .replaceAll("[0-9.]+ ms\\n  on", "N ms\n  on")
        .replaceAll("\"elapsed_ms\":[0-9.]+", "\"elapsed_ms\":N")
        .replaceAll("\"server_micros\":\"\\d+\"", "\"server_micros\":\"N\"");
  }
}
