package dev.colonnade.it;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Runs programs of the operating system that make and break what nodes stand on. */
public final class HostCommand {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private HostCommand() {}

  /** Runs a program to its end. Returns what it complained about; empty if it worked. */
  public static String refusal(String... command) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    } catch (IOException missing) {
      return String.valueOf(missing.getMessage());
    }
    process.getOutputStream().close();
    String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!ChildJvm.exited(process, LIMIT)) {
      process.destroyForcibly();
      return "no answer within " + LIMIT;
    }
    return process.exitValue() == 0 ? "" : "exit code " + process.exitValue() + " " + words.strip();
  }

  /**
   * Runs a program to its end.
   *
   * @throws IOException when it fails; the message has its words
   */
  public static void run(String... command) throws IOException {
    String refusal = refusal(command);
    if (!refusal.isEmpty()) {
      throw new IOException(String.join(" ", command) + ": " + refusal);
    }
  }

  /** Whether the search path has a program of this name. */
  public static boolean isInstalled(String program) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, program))) {
        return true;
      }
    }
    return false;
  }
}
