package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonStreamParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page {@code docs/calling-by-reflection.md} is true: its commands run as they stand there,
 * only with another port and with a {@code buf} that is already installed, and give the answers
 * shown.
 */
final class ReflectionIT {

  private static final Pattern BLOCK =
      Pattern.compile("^```(sh|json)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final String FETCHED_BUF = "npx -y @bufbuild/buf";
  private static final String DEFAULT_PORT = ":9160";
  private static final String SEPARATOR = "--- next block ---";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path folder;

  @Test
  void thePageAboutCallingByReflectionIsTrue() throws IOException {
    Path home = Path.of(System.getProperty("colonnade.home", ".."));
    Optional<Path> buf = findBuf(home);
    assumeTrue(
        buf.isPresent() || System.getenv("COLONNADE_EXPECT_BUF") != null,
        "no `buf` on the PATH or in integration-tests/target/tools; .ci/run installs it with npm");
    String page = Files.readString(home.resolve("docs/calling-by-reflection.md"));
    try (LocalNode node = LocalNode.process(LocalNode.Settings.in(folder.resolve("data")))) {
      run(page, buf.orElseThrow(), node.ports().client());
    }
  }

  private void run(String page, Path buf, int port) throws IOException {
    StringBuilder script = new StringBuilder("set -e\n");
    List<String> wanted = new ArrayList<>();
    Matcher block = BLOCK.matcher(page);
    while (block.find()) {
      if (block.group(1).equals("sh")) {
        script.append("echo '").append(SEPARATOR).append("'\n");
        script.append(
            block.group(2).replace(FETCHED_BUF, "'" + buf + "'").replace(DEFAULT_PORT, ":" + port));
        wanted.add("");
      } else {
        wanted.set(wanted.size() - 1, block.group(2));
      }
    }
    assertTrue(wanted.size() > 5, "the page has lost its commands");
    String[] outputs = execute(script.toString()).split(SEPARATOR + "\n", -1);
    assertEquals(wanted.size(), outputs.length - 1);
    for (int i = 0; i < wanted.size(); i++) {
      if (!wanted.get(i).isEmpty()) {
        assertEquals(json(wanted.get(i)), json(outputs[i + 1]));
      }
    }
  }

  private String execute(String script) throws IOException {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder("bash", "-c", script)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertTrue(ChildJvm.exited(process, LIMIT), "the commands of the page hang");
    String text = Files.readString(output);
    assertEquals(0, process.exitValue(), text);
    return text;
  }

  private static List<JsonElement> json(String text) {
    List<JsonElement> values = new ArrayList<>();
    new JsonStreamParser(text).forEachRemaining(values::add);
    return values;
  }

  private static Optional<Path> findBuf(Path home) {
    Stream<Path> installed =
        Stream.of(home.resolve("integration-tests/target/tools/node_modules/.bin"));
    Stream<Path> onPath = Stream.of(System.getenv("PATH").split(":", -1)).map(Path::of);
    return Stream.concat(installed, onPath)
        .map(folder -> folder.resolve("buf").toAbsolutePath())
        .filter(Files::isExecutable)
        .findFirst();
  }
}
