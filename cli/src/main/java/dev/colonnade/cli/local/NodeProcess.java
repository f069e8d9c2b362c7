package dev.colonnade.cli.local;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A node as a process of its own, started by this one with the same Java and the same program. */
final class NodeProcess {

  /**
   * Of the options of this process: access to Java's insides, how the heap is divided, and an
   * archive of classes.
   */
  private static final List<String> FOR_NODES =
      List.of(
          "--",
          "-Dnet.openhft",
          "-XX:+UnlockExperimentalVMOptions",
          "-XX:G1NewSizePercent",
          "-XX:MaxHeapFreeRatio",
          "-XX:SharedArchiveFile");

  private static final int LAST_LINES = 5;

  /**
   * What a node's Java is given.
   *
   * @param heap the most it may use, as after {@code -Xmx}
   * @param javaOptions more options for Java
   */
  record Memory(String heap, List<String> javaOptions) {}

  private final String name;
  private final Path log;
  private final Process process;

  private NodeProcess(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts {@code colonnade server} with these arguments. It ends with this process, however that
   * ends: its input does then.
   *
   * @param log takes its output, appended
   */
  static NodeProcess start(String name, List<String> arguments, Memory memory, Path log)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      // What Java itself needs to run the node; not this process's memory, debugger or compiler.
      if (FOR_NODES.stream().anyMatch(argument::startsWith)) {
        command.add(argument);
      }
    }
    command.add("-Xmx" + memory.heap());
    command.addAll(memory.javaOptions());
    command.addAll(
        List.of(
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.colonnade.cli.Colonnade",
            "server",
            "--until-input-ends"));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new NodeProcess(name, log, process);
  }

  String name() {
    return name;
  }

  Path log() {
    return log;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The exit status from the operating system; only for a process that has ended. */
  int exitStatus() {
    return process.exitValue();
  }

  /** Asks it to stop in order. */
  void stop() {
    process.destroy();
  }

  /** Ends it at once; what the operating system holds stays. */
  void kill() {
    process.destroyForcibly();
  }

  boolean ended(Duration limit) throws InterruptedException {
    return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The end of its output, in one line. */
  String lastWords() {
    try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
      List<String> all = lines.toList();
      return String.join(" / ", all.subList(Math.max(0, all.size() - LAST_LINES), all.size()));
    } catch (IOException | java.io.UncheckedIOException e) {
      return "its output in " + log + " cannot be read: " + e.getMessage();
    }
  }
}
