package dev.colonnade.it.docs;

import dev.colonnade.it.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a reader of a page: a folder with {@code ./colonnade} and {@code docs/} in it,
 * a terminal with bash, another with the shell, and a node that serves.
 */
final class DocRunner implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String FETCHED_BUF = "npx -y @bufbuild/buf";
  private static final String DEFAULT_PORT = ":9160";

  private final Path folder;
  private final int port;
  private final Optional<Path> buf;
  private final JavaSnippet java;
  private @Nullable BashSession bash;
  private @Nullable Coprocess shell;
  private int asked;

  /** A desk in an empty folder, of a node that listens on that port. */
  DocRunner(Path folder, Path home, int port, Optional<Path> buf) throws IOException {
    this.folder = folder;
    this.port = port;
    this.buf = buf;
    this.java = new JavaSnippet(folder);
    Files.createSymbolicLink(folder.resolve("docs"), home.resolve("docs").toAbsolutePath());
    Path launcher = folder.resolve("colonnade");
    String command =
        ChildJvm.colonnade(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1")).stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Files.writeString(launcher, "#!/bin/sh\nexec " + command + " \"$@\"\n");
    if (!launcher.toFile().setExecutable(true)) {
      throw new IOException("cannot make " + launcher + " executable");
    }
  }

  /** Whether there is what a block needs. */
  boolean canRun(Block block) {
    return buf.isPresent() || !(block.text().contains("buf") || block.text().contains("call "));
  }

  /** Runs a block as its language says; returns what it prints. */
  String run(Block block) throws IOException, InterruptedException, ReflectiveOperationException {
    return switch (block.language()) {
      case "sh" -> inBash(block.text());
      case "colonnade" -> inShell(block.text());
      case "java" -> java.run(atThisPort(block.text()), "127.0.0.1:" + port);
      case "xml" -> checkConf(block.text());
      default -> throw new AssertionError("no way is known to run ```" + block.language());
    };
  }

  private String inBash(String text) throws IOException, InterruptedException {
    if (bash == null) {
      bash = new BashSession(here("bash"));
    }
    String commands = atThisPort(text);
    if (buf.isPresent()) {
      commands = commands.replace(FETCHED_BUF, "'" + buf.get() + "'");
    }
    return bash.done(commands);
  }

  /** Statements go to one shell that lives as long as the page. */
  private String inShell(String text) throws IOException, InterruptedException {
    if (shell == null) {
      shell = new Coprocess(here("./colonnade", "shell", "--continue"));
    }
    String mark = mark();
    // The answer is a complaint with this word in it, and leaves the keyspace in use as it is.
    return shell.ask(text + "\nlist " + mark + ".F;\n", mark, LIMIT);
  }

  private String checkConf(String text) throws IOException, InterruptedException {
    Path file = Files.createTempFile(folder, "storage-conf-", ".xml");
    Files.writeString(file, text);
    return inBash("./colonnade conf check " + file);
  }

  private ProcessBuilder here(String... command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder
        .environment()
        .putAll(Map.of("COLONNADE_HOST", "127.0.0.1", "COLONNADE_PORT", String.valueOf(port)));
    return builder;
  }

  private String atThisPort(String text) {
    return text.replace(DEFAULT_PORT, ":" + port);
  }

  private String mark() {
    asked++;
    return "end_of_block_" + asked;
  }

  @Override
  public void close() {
    if (bash != null) {
      bash.close();
    }
    if (shell != null) {
      shell.close();
    }
  }
}
