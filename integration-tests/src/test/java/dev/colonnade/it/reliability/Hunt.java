package dev.colonnade.it.reliability;

import com.google.gson.Gson;
import dev.colonnade.it.Folders;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Hunts tests that fail now and then: runs test classes many times, each time in processes of their
 * own, on a quiet and on a loaded machine, and says what ever failed and how often.
 */
final class Hunt {

  /** What else the machine does meanwhile. */
  enum Way {
    /** Nothing. */
    QUIET("alone on the machine"),
    /** As many other JVMs as there are processors compute and allocate. */
    BUSY("beside busy JVMs, one for each processor"),
    /** There is one processor for all threads. */
    ONE_CORE("on one processor");

    private final String text;

    Way(String text) {
      this.text = text;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * A test that failed.
   *
   * @param test class and method
   * @param first what it said when it failed first
   */
  record Failed(String test, int times, String first) {
    Failed once() {
      return new Failed(test, times + 1, first);
    }
  }

  /**
   * The result of all runs in one way.
   *
   * @param way as {@link Way#label}
   * @param compiler {@code c1} or {@code full}
   * @param classes which were run: their names, or {@code all}
   * @param tests how many were run, in all runs together
   */
  record Result(
      String way,
      String compiler,
      String classes,
      int runs,
      long tests,
      List<Failed> failed,
      long seconds,
      String commit) {

    /** Two results with the same subject replace each other. */
    String subject() {
      return way + " " + compiler + " " + classes;
    }

    /** The way in words. */
    String inWords() {
      return Way.valueOf(way.toUpperCase(Locale.ROOT).replace('-', '_')).text
          + (compiler.equals("c1") ? ", as in the build" : ", with the optimizing compiler");
    }
  }

  private static final Gson GSON = new Gson();

  private static final Map<String, List<String>> COMPILERS =
      Map.of(
          "c1",
          List.of("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m", "-XX:+UseSerialGC"),
          "full",
          List.of());

  private final Path home;
  private final Path work;
  private final Map<String, List<String>> classes;
  private final String label;
  private final int minutesMax;

  private Hunt(
      Path home, Path work, Map<String, List<String>> classes, String label, int minutesMax) {
    this.home = home;
    this.work = work;
    this.classes = classes;
    this.label = label;
    this.minutesMax = minutesMax;
  }

  /**
   * Arguments: runs, ways, compilers, minutes for a process, a label for the classes, whether to
   * keep the results ({@code keep} or {@code print}), and the classes as {@code MODULE:NAME}.
   */
  public static void main(String[] args) throws Exception {
    Path home = Path.of(System.getProperty("colonnade.home"));
    Map<String, List<String>> classes = new TreeMap<>();
    for (String each : args[6].split(",", -1)) {
      String[] parts = each.split(":", 2);
      classes.computeIfAbsent(parts[0], module -> new ArrayList<>()).add(parts[1]);
    }
    Path work = home.resolve("integration-tests/target/hunt");
    Folders.delete(Files.createDirectories(work));
    Files.createDirectories(work);
    Hunt hunt = new Hunt(home, work, classes, args[4], Integer.parseInt(args[3]));
    List<Result> results = new ArrayList<>();
    for (String compiler : args[2].split(",", -1)) {
      for (String way : args[1].split(",", -1)) {
        Way chosen = Way.valueOf(way.toUpperCase(Locale.ROOT).replace('-', '_'));
        results.add(hunt.runs(chosen, compiler, Integer.parseInt(args[0])));
      }
    }
    if (args[5].equals("keep")) {
      keep(Results.hunt(home), results);
    }
    StringBuilder table = new StringBuilder();
    HuntTable.write(table, results);
    System.out.print("\n" + table);
    System.exit(results.stream().allMatch(result -> result.failed().isEmpty()) ? 0 : 1);
  }

  private Result runs(Way way, String compiler, int runs) throws Exception {
    long from = System.nanoTime();
    Map<String, Failed> failed = new TreeMap<>();
    long tests = 0;
    List<Process> others = way == Way.BUSY ? busy() : List.of();
    try {
      for (int run = 1; run <= runs; run++) {
        for (Map.Entry<String, List<String>> module : classes.entrySet()) {
          String name = way.label() + "-" + compiler + "-" + run;
          List<HuntProcess.Ending> endings =
              run(way, compiler, module.getKey(), module.getValue(), name);
          tests += endings.size();
          for (HuntProcess.Ending ending : endings) {
            if (!ending.failure().isEmpty()) {
              System.out.println(name + ": " + ending.test() + " " + ending.failure());
              failed.merge(
                  ending.test(),
                  new Failed(ending.test(), 1, ending.failure()),
                  (before, now) -> before.once());
            }
          }
        }
      }
    } finally {
      others.forEach(Process::destroyForcibly);
    }
    long seconds = (System.nanoTime() - from) / 1_000_000_000;
    System.out.println(
        way.label() + ", " + compiler + ": " + tests + " tests, " + failed.size() + " failed");
    return new Result(
        way.label(),
        compiler,
        label,
        runs,
        tests,
        List.copyOf(failed.values()),
        seconds,
        System.getProperty("colonnade.commit", "?"));
  }

  private List<Process> busy() throws IOException {
    List<Process> started = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      List<String> command = new ArrayList<>(java(List.of("-Xmx64m", "-XX:+UseSerialGC")));
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), Busy.class.getName()));
      started.add(new ProcessBuilder(command).inheritIO().start());
    }
    return started;
  }

  /** Does nothing useful on one processor, with memory in use, until its parent ends. */
  static final class Busy {
    private Busy() {}

    public static void main(String[] args) {
      ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
      long sum = 0;
      while (parent.isAlive()) {
        sum += IntStream.range(0, 100_000).boxed().collect(Collectors.toSet()).size();
      }
      System.out.println(sum);
    }
  }

  private static List<String> java(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    return command;
  }

  /** Runs classes of a module once; a process that does not end counts as a failure. */
  private List<HuntProcess.Ending> run(
      Way way, String compiler, String module, List<String> names, String run)
      throws IOException, InterruptedException {
    String label = run + "-" + module.replace('/', '-');
    Path results = work.resolve(label + ".tests");
    Path temporary = Files.createDirectories(work.resolve(label + ".tmp"));
    List<String> command = new ArrayList<>();
    if (way == Way.ONE_CORE) {
      command.addAll(List.of("taskset", "-c", "0"));
    }
    List<String> options = new ArrayList<>(SuiteRunner.CHRONICLE_OPTIONS);
    options.addAll(COMPILERS.getOrDefault(compiler, List.of()));
    options.addAll(
        List.of(
            "-Xmx1g",
            "-Djava.io.tmpdir=" + temporary,
            "-Dcolonnade.home=" + home,
            "-Dcolonnade.jar=" + home.resolve("cli/target/colonnade.jar"),
            "-Dcolonnade.quick.start=true"));
    command.addAll(java(options));
    command.addAll(List.of("-cp", classPath(module), HuntProcess.class.getName()));
    command.add(results.toString());
    command.addAll(names);
    Process process =
        new ProcessBuilder(command)
            .directory(home.resolve(module).toFile())
            .redirectErrorStream(true)
            .redirectOutput(work.resolve(label + ".log").toFile())
            .start();
    boolean ended;
    try {
      ended = process.waitFor(minutesMax, TimeUnit.MINUTES);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    Folders.delete(temporary);
    List<HuntProcess.Ending> endings =
        new ArrayList<>(Results.read(results, HuntProcess.Ending.class));
    if (!ended || process.waitFor() != 0) {
      String how = ended ? "ended early" : "hangs, ended after " + minutesMax + " min";
      endings.add(new HuntProcess.Ending(module, "failed: the process " + how));
    }
    return endings;
  }

  private String classPath(String module) throws IOException {
    List<String> path = new ArrayList<>();
    for (String each : List.of(module, "server", "client-java", "cli")) {
      path.add(home.resolve(each + "/target/test-classes").toString());
      path.add(home.resolve(each + "/target/classes").toString());
    }
    path.add(Files.readString(home.resolve(module + "/target/test.classpath")).strip());
    path.add(System.getProperty("java.class.path"));
    return String.join(File.pathSeparator, path);
  }

  /** Each takes the place of an older one of the same subject. */
  private static void keep(Path file, List<Result> results) throws IOException {
    Map<String, Result> newest = new TreeMap<>();
    for (Result result : Results.read(file, Result.class)) {
      newest.put(result.subject(), result);
    }
    results.forEach(result -> newest.put(result.subject(), result));
    List<String> lines = new ArrayList<>();
    newest.values().forEach(result -> lines.add(GSON.toJson(result)));
    Collections.sort(lines);
    Files.write(file, lines);
  }
}
