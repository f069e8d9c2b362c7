package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java program of the README runs as it stands there, only with another port. */
final class ReadmeJavaIT {

  private static final Pattern PROGRAM =
      Pattern.compile("^```java\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final String DEFAULT_ADDRESS = "127.0.0.1:9160";
  private static final long LIMIT_SECONDS = 120;

  @TempDir Path folder;

  @Test
  void theProgramPrintsTheNewestPostFirst()
      throws IOException, InterruptedException, NodeStartException {
    Path home = Path.of(System.getProperty("colonnade.home", ".."));
    Matcher program = PROGRAM.matcher(Files.readString(home.resolve("README.md")));
    assertTrue(program.find(), "the README has lost its Java program");
    assertTrue(program.group(1).contains(DEFAULT_ADDRESS));
    try (Node node =
        Node.start(
            NodeOptions.defaults()
                .withDataDirectory(folder.resolve("data"))
                .withClientPort(0)
                .withPeerPort(0)
                .withHttpPort(0))) {
      String address = node.clientAddress() + ":" + node.clientPort();
      Path source = folder.resolve("Blog.java");
      Files.writeString(source, program.group(1).replace(DEFAULT_ADDRESS, address));
      assertEquals(List.of("i-got-a-guitar", "now-i-have-a-blog"), run(source));
    }
  }

  /** Compiles and runs a program as its reader would, with the library on the class path. */
  private List<String> run(Path source) throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    Path errors = folder.resolve("errors");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                source.toString())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), "the program does not end");
    } finally {
      process.destroyForcibly();
    }
    assertEquals(0, process.exitValue(), Files.readString(errors, StandardCharsets.UTF_8));
    return Files.readAllLines(output);
  }
}
