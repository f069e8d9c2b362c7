package dev.colonnade.it;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Runs programs of the operating system that set up and break disks and networks of nodes. */
public final class HostCommand {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private HostCommand() {}

  /** The exit status of a program, and its output. */
  private record End(int status, String words) {}

  /** Runs a program to its end. Returns its error output; empty if it succeeded. */
  public static String refusal(String... command) {
    End end;
    try {
      end = end(command);
    } catch (IOException missing) {
      return String.valueOf(missing.getMessage());
    }
    return end.status == 0 ? "" : "exit code " + end.status + " " + end.words;
  }

  /**
   * Runs a program to its end and returns its output.
   *
   * @throws IOException when it fails; the message has its words
   */
  public static String output(String... command) throws IOException {
    End end = end(command);
    if (end.status != 0) {
      throw new IOException(String.join(" ", command) + ": " + end.words);
    }
    return end.words;
  }

  private static End end(String... command) throws IOException {
    Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!ChildJvm.exited(process, LIMIT)) {
      process.destroyForcibly();
      throw new IOException(command[0] + " has not ended within " + LIMIT);
    }
    return new End(process.exitValue(), words.strip());
  }

  /**
   * Runs a program to its end.
   *
   * @throws IOException when it fails; the message has its words
   */
  public static void run(String... command) throws IOException {
    output(command);
  }

  /**
   * Undoes what a program made when this process is told to end; closing it says that this was
   * done.
   *
   * @param commands run one after the other; their errors are ignored
   */
  public static Closeable atExit(List<List<String>> commands) {
    Thread hook =
        new Thread(
            () -> {
              for (List<String> command : commands) {
                refusal(command.toArray(String[]::new));
              }
            },
            "take-away");
    Runtime.getRuntime().addShutdownHook(hook);
    return () -> Runtime.getRuntime().removeShutdownHook(hook);
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
