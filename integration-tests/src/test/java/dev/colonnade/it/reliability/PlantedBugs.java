package dev.colonnade.it.reliability;

import com.google.gson.Gson;
import dev.colonnade.it.Folders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Plants each bug in a copy of the sources that it changes, compiles that copy, and runs the suites
 * that must notice it in front of which it stands on the class path. The checkout itself is only
 * read.
 */
final class PlantedBugs {

  /**
   * The result of one bug in one suite.
   *
   * @param runs how many there were
   * @param caught how many of them failed, as they should
   * @param tests of all runs
   * @param testsFailed of all runs
   * @param firstSeed of the first run that failed; 0 if the suite has no seeds. A suite that runs
   *     one seed after another ends with it
   * @param what the message of the first failure, or why there was no run
   */
  record Outcome(
      String bug,
      String promises,
      String breaks,
      String suite,
      String counts,
      int runs,
      int caught,
      long tests,
      long testsFailed,
      long firstSeed,
      long seconds,
      String what) {}

  /** Where the patches are, below the root of the checkout. */
  static final String DIRECTORY = "integration-tests/planted";

  private static final int MESSAGE_MAX = 300;

  /** Two hundred seeds of whole clusters take five minutes, and more on a busy machine. */
  private static final int MINUTES_MAX = 40;

  private final SuiteRunner runner;
  private final Path scratch;
  private final long seed;
  private final int runs;
  private final Set<String> sound = new HashSet<>();

  private PlantedBugs(SuiteRunner runner, Path scratch, long seed, int runs) {
    this.runner = runner;
    this.scratch = scratch;
    this.seed = seed;
    this.runs = runs;
  }

  /** Options and names as {@code planted/run --help} says. */
  public static void main(String[] args) throws Exception {
    Path home = Path.of(System.getProperty("colonnade.home"));
    int runs = 5;
    long seed = 1_000_000;
    Set<String> names = new HashSet<>();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--runs" -> runs = Integer.parseInt(args[++i]);
        case "--seed" -> seed = Long.parseLong(args[++i]);
        default -> names.add(args[i]);
      }
    }
    List<PlantedBug> bugs = new ArrayList<>(PlantedBug.all(home.resolve(DIRECTORY)));
    if (!names.isEmpty()) {
      bugs.removeIf(bug -> !names.remove(bug.name()));
    }
    if (!names.isEmpty()) {
      System.err.println("no such bug: " + String.join(", ", names));
      System.exit(2);
    }
    Path work = Files.createDirectories(home.resolve("integration-tests/target/planted"));
    System.exit(plantAll(home, bugs, work, seed, runs) ? 0 : 1);
  }

  /** Plants all bugs of the checkout; false if one was not caught. */
  static boolean all(Path home, Path work, long seed, int runs)
      throws IOException, InterruptedException {
    return plantAll(home, PlantedBug.all(home.resolve(DIRECTORY)), work, seed, runs);
  }

  private static boolean plantAll(Path home, List<PlantedBug> bugs, Path work, long seed, int runs)
      throws IOException, InterruptedException {
    Path scratch = Files.createTempDirectory("colonnade-planted");
    try {
      SuiteRunner runner = new SuiteRunner(home, work, MINUTES_MAX);
      return new PlantedBugs(runner, scratch, seed, runs).plantAll(bugs, Results.planted(home));
    } finally {
      Folders.delete(scratch);
    }
  }

  /**
   * Plants one after the other and prints a table.
   *
   * @return whether all were caught by every suite that must catch them
   */
  private boolean plantAll(List<PlantedBug> bugs, Path results)
      throws IOException, InterruptedException {
    boolean all = true;
    print("bug", "promise", "suite", "caught", "tests failed", "first seed", "seconds");
    for (PlantedBug bug : bugs) {
      List<Outcome> outcomes = plant(bug);
      keep(bug, outcomes, results);
      for (Outcome outcome : outcomes) {
        all &= outcome.caught() > 0;
        print(
            outcome.bug(),
            outcome.promises(),
            outcome.suite(),
            outcome.caught() + " of " + outcome.runs() + " runs",
            outcome.testsFailed() + " of " + outcome.tests(),
            outcome.firstSeed() == 0 ? "-" : Long.toString(outcome.firstSeed()),
            Long.toString(outcome.seconds()));
        if (outcome.caught() == 0) {
          System.out.println("    NOT CAUGHT: " + outcome.what());
        }
      }
    }
    System.out.println(all ? "all were caught" : "NOT ALL were caught");
    return all;
  }

  /** Replaces the results of the bug in the file; those of others stay. */
  private static void keep(PlantedBug bug, List<Outcome> outcomes, Path results)
      throws IOException {
    Gson gson = new Gson();
    Map<String, String> lines = new TreeMap<>();
    for (Outcome outcome : Results.read(results, Outcome.class)) {
      if (!outcome.bug().equals(bug.name())) {
        lines.put(outcome.bug() + ' ' + outcome.suite(), gson.toJson(outcome));
      }
    }
    outcomes.forEach(o -> lines.put(o.bug() + ' ' + o.suite(), gson.toJson(o)));
    Files.write(results, lines.values(), StandardCharsets.UTF_8);
  }

  private List<Outcome> plant(PlantedBug bug) throws IOException, InterruptedException {
    Path classes;
    try {
      classes = build(bug);
    } catch (Patch.DoesNotFitException e) {
      return List.of(
          none(bug, bug.suites().get(0), "the patch does not fit any more: " + e.getMessage()));
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (Suite suite : bug.suites()) {
      boolean waits = suite.seedsMax() > 0;
      Outcome outcome =
          waits || isSound(suite, seed, runs)
              ? run(bug, suite, classes)
              : none(bug, suite, "the suite fails without the bug");
      // Of many seeds that may be needed only the one that counts has to pass without the bug.
      boolean isDoubtful = waits && outcome.caught() > 0 && !isSound(suite, outcome.firstSeed(), 1);
      outcomes.add(
          isDoubtful
              ? none(bug, suite, "seed " + outcome.firstSeed() + " fails without the bug, too")
              : outcome);
    }
    return outcomes;
  }

  private Outcome run(PlantedBug bug, Suite suite, Path classes)
      throws IOException, InterruptedException {
    long from = System.nanoTime();
    List<SuiteRun> done =
        runner.run(
            suite,
            bug.name() + "." + suite.label(),
            List.of(classes),
            suite.brief(),
            seed,
            suite.seedsMax() > 0 ? suite.seedsMax() : runs);
    List<SuiteRun> caught = done.stream().filter(SuiteRun::caught).toList();
    return new Outcome(
        bug.name(),
        bug.promises(),
        bug.breaks(),
        suite.label(),
        suite.brief().toString(),
        done.size(),
        caught.size(),
        done.stream().mapToLong(SuiteRun::tests).sum(),
        done.stream().mapToLong(SuiteRun::failed).sum(),
        caught.isEmpty() ? 0 : caught.get(0).seed(),
        (System.nanoTime() - from) / 1_000_000_000,
        caught.isEmpty() ? "no run failed" : shortened(caught.get(0).first()));
  }

  private static Outcome none(PlantedBug bug, Suite suite, String why) {
    return new Outcome(
        bug.name(), bug.promises(), bug.breaks(), suite.label(), "", 0, 0, 0, 0, 0, 0, why);
  }

  /**
   * Whether the suite passes with the same seeds when nothing is planted: otherwise its failures
   * prove nothing.
   */
  private boolean isSound(Suite suite, long first, int count)
      throws IOException, InterruptedException {
    String what = suite.label() + " from " + first;
    if (sound.contains(what)) {
      return true;
    }
    List<SuiteRun> done =
        runner.run(suite, "nothing." + suite.label(), List.of(), suite.brief(), first, count);
    long failed = done.stream().filter(SuiteRun::caught).count();
    print(
        "(nothing planted)",
        "",
        suite.label(),
        failed + " of " + done.size() + " runs",
        "",
        Long.toString(first),
        "");
    if (failed > 0) {
      return false;
    }
    sound.add(what);
    return true;
  }

  /** Compiles the files that the patch changes; all other classes are those of the checkout. */
  private Path build(PlantedBug bug) throws IOException, Patch.DoesNotFitException {
    Path root = scratch.resolve(bug.name());
    Path classes = Files.createDirectories(root.resolve("classes"));
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-nowarn", "-proc:none", "--release", "17"));
    arguments.addAll(List.of("-cp", String.join(java.io.File.pathSeparator, runner.classPath())));
    arguments.addAll(List.of("-sourcepath", root.toString(), "-d", classes.toString()));
    for (Patch.FileChange change : bug.patch().files()) {
      Path copy = root.resolve(change.path());
      Files.createDirectories(copy.getParent());
      Files.writeString(copy, change.apply(Files.readString(runner.home().resolve(change.path()))));
      arguments.add(copy.toString());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
      throw new IOException(bug.name() + " does not compile with its bug planted");
    }
    return classes;
  }

  private static String shortened(String text) {
    String line = text.lines().limit(4).reduce("", (a, b) -> a + " " + b).strip();
    return line.length() > MESSAGE_MAX ? line.substring(0, MESSAGE_MAX) + "..." : line;
  }

  private static void print(String... cells) {
    System.out.println(
        String.format(Locale.ROOT, "%-37s %-8s %-13s %-13s %-12s %-10s %s", (Object[]) cells));
  }
}
