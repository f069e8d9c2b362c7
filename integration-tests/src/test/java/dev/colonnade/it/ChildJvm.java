package dev.colonnade.it;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Starts other JVMs: the server as a user has it, or a class of this module. */
public final class ChildJvm {

  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private ChildJvm() {}

  /**
   * The command {@code colonnade}, without arguments: the executable jar when the property {@code
   * colonnade.jar} names one that is there, otherwise the classes of this build.
   *
   * @param jvmArguments stand after those of {@link QuickStart}, and so win
   */
  public static List<String> colonnade(List<String> jvmArguments) {
    String jar = System.getProperty("colonnade.jar");
    if (jar == null || !Files.exists(Path.of(jar))) {
      return main(jvmArguments, "dev.colonnade.cli.Colonnade");
    }
    List<String> all = new ArrayList<>(QuickStart.options(Path.of(jar)));
    all.addAll(jvmArguments);
    return jar(all, Path.of(jar));
  }

  /** The command {@code colonnade} of the build that an executable jar holds. */
  static List<String> jar(List<String> jvmArguments, Path jar) {
    List<String> command = java(jvmArguments);
    command.add("-jar");
    command.add(jar.toString());
    return command;
  }

  /** A command line for a class on the class path of this JVM; arguments may be added. */
  public static List<String> main(List<String> jvmArguments, String mainClass) {
    List<String> command = java(jvmArguments);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass);
    return command;
  }

  /**
   * Java with the flags that this JVM has for the sake of Chronicle Map, and without the optimizing
   * compiler if this one is.
   */
  private static List<String> java(List<String> jvmArguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--add-")
          || argument.startsWith("--enable-native-access")
          || argument.startsWith("--sun-misc-unsafe")
          || argument.startsWith("-Dnet.openhft")
          || argument.startsWith("-XX:TieredStopAtLevel")) {
        command.add(argument);
      }
    }
    // A node logs as it does for a user, not as the tests of this module.
    command.add("-Dlogback.configurationFile=logback.xml");
    command.addAll(jvmArguments);
    return command;
  }

  /** Where the output of a process goes whose data is in {@code data}. */
  public static Path besideData(Path data) throws IOException {
    Files.createDirectories(data);
    return Files.createTempFile(data.toAbsolutePath().getParent(), "node-", ".out");
  }

  /**
   * Starts a process and returns when its output has {@code readyWords} in it.
   *
   * @param log takes standard output; standard error goes to a file beside it
   * @throws IOException when the process ends or the limit passes before; the message has the
   *     output
   */
  public static Process start(List<String> command, Path log, String readyWords, Duration limit)
      throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectError(errorsBeside(log).toFile())
            .redirectOutput(log.toFile())
            .start();
    long deadline = System.nanoTime() + limit.toNanos();
    while (!Files.readString(log, StandardCharsets.UTF_8).contains(readyWords)) {
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        process.destroyForcibly();
        throw new IOException(
            "the process did not get as far as \""
                + readyWords
                + "\" within "
                + limit
                + "; its output:\n"
                + Files.readString(log, StandardCharsets.UTF_8)
                + Files.readString(errorsBeside(log), StandardCharsets.UTF_8));
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
    return process;
  }

  /** Where standard error goes, when {@code log} takes standard output. */
  static Path errorsBeside(Path log) {
    return log.resolveSibling(log.getFileName() + ".err");
  }

  /** Waits for the end of a process; false when the limit passed first. */
  public static boolean exited(Process process, Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
