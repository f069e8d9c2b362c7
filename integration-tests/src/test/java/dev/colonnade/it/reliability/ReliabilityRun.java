package dev.colonnade.it.reliability;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import dev.colonnade.it.real.RealResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs the suites with chosen counts, plants the bugs, and writes the results to {@code
 * docs/reliability.md}.
 */
final class ReliabilityRun {

  /**
   * The result of a suite.
   *
   * @param counts the settings that it ran with; empty if with those of every build
   * @param figures what it counted itself
   * @param commit of the checkout
   */
  record Result(
      String suite,
      Map<String, String> counts,
      long seed,
      long tests,
      long failed,
      long seconds,
      String first,
      List<JsonObject> figures,
      String commit) {}

  private static final Gson GSON = new Gson();
  private static final long SEED = 1;

  private final Path work;
  private final Path kept;
  private final SuiteRunner runner;
  private final String commit;

  private ReliabilityRun(Path work, Path kept, SuiteRunner runner, String commit) {
    this.work = work;
    this.kept = kept;
    this.runner = runner;
    this.commit = commit;
  }

  /** Options as {@code reliability --help} says. */
  public static void main(String[] args) throws Exception {
    Path home = Path.of(System.getProperty("colonnade.home"));
    Path work = Files.createDirectories(home.resolve("integration-tests/target/reliability"));
    boolean quick = false;
    boolean plant = true;
    long seed = SEED;
    int runs = 5;
    double share = 1;
    Set<String> only = new HashSet<>();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--quick" -> quick = true;
        case "--no-planted" -> plant = false;
        case "--page-only" -> {
          only.add("");
          plant = false;
        }
        case "--seed" -> seed = Long.parseLong(args[++i]);
        case "--share" -> share = Double.parseDouble(args[++i]);
        case "--planted-runs" -> runs = Integer.parseInt(args[++i]);
        default -> only.add(Suite.named(args[i]).label());
      }
    }
    ReliabilityRun run =
        new ReliabilityRun(
            work,
            Results.suites(home),
            new SuiteRunner(home, work, 600),
            System.getProperty("colonnade.commit", "?"));
    boolean well = true;
    for (Suite suite : Suite.values()) {
      if (only.isEmpty() || only.contains(suite.label())) {
        well &= run.suite(suite, quick ? suite.brief() : scaled(suite.whole(), share), seed);
      }
    }
    Path planted = Files.createDirectories(home.resolve("integration-tests/target/planted"));
    if (plant) {
      well &= PlantedBugs.all(home, planted, 1_000_000, runs);
    }
    ReliabilityPage page =
        new ReliabilityPage(
            run.results(),
            Results.read(Results.planted(home), PlantedBugs.Outcome.class),
            Results.read(Results.mutants(home), Mutants.Score.class),
            Results.read(Results.real(home), RealResult.class),
            Results.read(Results.hunt(home), Hunt.Result.class));
    Files.writeString(home.resolve("docs/reliability.md"), page.text());
    System.out.println("wrote docs/reliability.md" + (well ? "" : "; there were FAILURES"));
    System.exit(well ? 0 : 1);
  }

  /** A part of the counts, at least 1 of each. */
  private static Map<String, String> scaled(Map<String, String> counts, double share) {
    Map<String, String> scaled = new HashMap<>();
    counts.forEach(
        (name, count) -> {
          long least = Math.max(1, Math.round(Long.parseLong(count) * share));
          // A smaller share of the damages is a longer step between them.
          boolean step = name.endsWith(".share");
          scaled.put(name, step ? Long.toString(Math.round(1 / Math.min(1, share))) : "" + least);
        });
    return scaled;
  }

  private boolean suite(Suite suite, Map<String, String> counts, long seed)
      throws IOException, InterruptedException {
    Path figures = work.resolve(suite.label() + ".figures").toAbsolutePath();
    Files.deleteIfExists(figures);
    Map<String, String> settings = new HashMap<>(counts);
    settings.put("colonnade.figures", figures.toString());
    SuiteRun done = runner.run(suite, suite.label(), List.of(), settings, seed, 1).get(0);
    Result result =
        new Result(
            suite.label(),
            new TreeMap<>(counts),
            done.seed(),
            done.tests(),
            done.failed(),
            Math.max(1, done.millis() / 1_000),
            done.first(),
            Results.read(figures, JsonObject.class),
            commit);
    keep(result);
    System.out.println(
        suite.label() + ": " + done.failed() + " of " + done.tests() + " tests failed " + counts);
    return done.failed() == 0;
  }

  /** Takes the place of an older run of the suite with the same first seed. */
  private void keep(Result result) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Result other : Results.read(kept, Result.class)) {
      if (!other.suite().equals(result.suite()) || other.seed() != result.seed()) {
        lines.add(GSON.toJson(other));
      }
    }
    lines.add(GSON.toJson(result));
    Collections.sort(lines);
    Files.write(kept, lines);
  }

  /**
   * The result of each suite, in the order of the suites. Runs with different first seeds are added
   * up: so a long one can be made in parts.
   */
  private List<Result> results() throws IOException {
    Map<Suite, Map<Long, Result>> newest = new TreeMap<>();
    for (Result result : Results.read(kept, Result.class)) {
      newest
          .computeIfAbsent(Suite.named(result.suite()), suite -> new TreeMap<>())
          .put(result.seed(), result);
    }
    return newest.values().stream().map(runs -> SuiteTotal.of(List.copyOf(runs.values()))).toList();
  }
}
