package dev.colonnade.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.colonnade.cli.shell.ShellCommand;
import dev.colonnade.client.KeyspaceDefinition;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * The scripts of the documentation, run by the shell on a node, answer as their transcripts say,
 * twice in a row. With {@code -Dtranscripts.write=true} the transcripts are rewritten.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ExamplesIT {

  private static final Path HOME = Path.of(System.getProperty("colonnade.home", ".."));
  private static final Path EXAMPLES = HOME.resolve("docs").resolve("examples");
  private static final String SCRIPT = ".colonnade";
  private static final String TRANSCRIPT = ".transcript";

  private final ExampleNode node;

  ExamplesIT(@TempDir Path folder) throws Exception {
    node = ExampleNode.in(folder);
  }

  @AfterAll
  void stop() {
    node.close();
  }

  static List<String> scripts() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(SCRIPT))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void aScriptAnswersAsItsTranscriptSaysTwiceInARow(String script) throws IOException {
    Path transcript = EXAMPLES.resolve(script.replace(SCRIPT, TRANSCRIPT));
    String first = run(script);
    if (Boolean.getBoolean("transcripts.write")) {
      Files.writeString(transcript, first);
    }
    assertEquals(Files.readString(transcript), first);
    assertEquals(first, run(script));
    assertEquals(
        List.of("system"),
        node.client().schema().keyspaces().stream().map(KeyspaceDefinition::name).toList());
  }

  @Test
  void everyScriptIsNamedInTheReadme() throws IOException {
    String readme = Files.readString(EXAMPLES.resolve("README.md"));
    assertFalse(scripts().isEmpty());
    assertEquals(
        List.of(), scripts().stream().filter(name -> !readme.contains("(" + name + ")")).toList());
  }

  /** The output of the shell, with a stand-in for the times of writes. */
  private String run(String script) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        new CommandLine(new ShellCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "--host",
                node.host(),
                "--port",
                String.valueOf(node.port()),
                "--echo",
                "--file",
                EXAMPLES.resolve(script).toString());
    assertEquals("", err.toString());
    assertEquals(0, status, out.toString());
    return out.toString().replaceAll("timestamp=\\d+", "timestamp=NOW");
  }
}
