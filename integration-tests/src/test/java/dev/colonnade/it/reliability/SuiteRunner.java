package dev.colonnade.it.reliability;

import com.google.gson.Gson;
import dev.colonnade.it.Folders;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Runs suites in processes of their own, with the classes of the checkout's {@code target}
 * directories.
 */
final class SuiteRunner {

  /** As in the build, for the memory-mapped key index. */
  static final List<String> CHRONICLE_OPTIONS =
      List.of(
          "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
          "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "-Dnet.openhft.chronicle.map.lockTimeoutSeconds=2");

  private final Path home;
  private final Path work;
  private final long minutesMax;

  /**
   * A runner.
   *
   * @param home the root of the checkout
   * @param work for results and logs; must exist
   * @param minutesMax after which a suite counts as hanging
   */
  SuiteRunner(Path home, Path work, long minutesMax) {
    this.home = home;
    this.work = work;
    this.minutesMax = minutesMax;
  }

  Path home() {
    return home;
  }

  /** The node's classes without anything planted, its tests, and all that they need. */
  List<String> classPath() {
    List<String> path = new ArrayList<>();
    for (String module : List.of("server", "cli", "client-java")) {
      path.add(home.resolve(module + "/target/classes").toString());
      path.add(home.resolve(module + "/target/test-classes").toString());
    }
    path.addAll(List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)));
    return path;
  }

  /**
   * Runs a suite a number of times, with seeds from {@code seed} on; one that runs until a bug is
   * caught, only until then.
   *
   * @param label names the log
   * @param first what comes before everything else on the class path
   * @param counts settings of the suite
   * @return the results of the runs; a run that hangs or takes its process with it fails
   */
  List<SuiteRun> run(
      Suite suite, String label, List<Path> first, Map<String, String> counts, long seed, int runs)
      throws IOException, InterruptedException {
    Path results = work.resolve(label + ".runs");
    Path log = work.resolve(label + ".log");
    Path temporary = Files.createDirectories(work.resolve(label + ".tmp"));
    Files.deleteIfExists(results);
    List<String> path = new ArrayList<>(first.stream().map(Path::toString).toList());
    path.addAll(classPath());
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(CHRONICLE_OPTIONS);
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx1g"));
    command.add("-Djava.io.tmpdir=" + temporary);
    new TreeMap<>(counts).forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.addAll(List.of("-cp", String.join(File.pathSeparator, path)));
    command.add(SuiteProcess.class.getName());
    command.addAll(
        List.of(suite.label(), Long.toString(seed), Integer.toString(runs), results.toString()));
    Process process =
        new ProcessBuilder(command)
            // Where Maven runs the tests of the module, some of which read files beside them.
            .directory(home.resolve(suite.module()).toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended;
    try {
      ended = process.waitFor(minutesMax, TimeUnit.MINUTES);
    } finally {
      process.destroyForcibly();
    }
    Folders.delete(temporary);
    List<SuiteRun> done = new ArrayList<>();
    if (Files.exists(results)) {
      for (String line : Files.readAllLines(results)) {
        done.add(new Gson().fromJson(line, SuiteRun.class));
      }
    }
    int wanted = suite.seedProperty() == null ? 1 : runs;
    boolean over = suite.seedsMax() > 0 && !done.isEmpty() && done.get(done.size() - 1).caught();
    if (done.size() < wanted && !over) {
      long next = seed + (long) done.size() * suite.seedsBetweenRuns();
      String how =
          ended ? "the process ended, see " + log : "hangs, ended after " + minutesMax + " min";
      done.add(new SuiteRun(suite.label(), next, 1, 1, minutesMax * 60_000, how));
    }
    return done;
  }
}
