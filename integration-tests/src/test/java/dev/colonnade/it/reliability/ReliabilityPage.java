package dev.colonnade.it.reliability;

import com.google.gson.JsonObject;
import dev.colonnade.it.real.RealResult;
import dev.colonnade.it.reliability.Mutants.Score;
import dev.colonnade.it.reliability.PlantedBugs.Outcome;
import dev.colonnade.it.reliability.ReliabilityRun.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The text of {@code docs/reliability.md}. */
final class ReliabilityPage {

  private static final String HEAD =
      """
      # Reliability

      What a node and a cluster promise, how each promise was tested, and the results. The figures are those of the runs named
      here only. This page is written by a command; edit `integration-tests/src/test/java`, package
      `dev.colonnade.it.reliability`, not the page:

          integration-tests/reliability                  # all counts; many hours
          integration-tests/reliability --share 0.1      # a tenth of them
          integration-tests/reliability --quick          # counts of seconds
          integration-tests/planted/run                  # the planted bugs alone
          integration-tests/mutants                      # bugs made by machine
          integration-tests/hunt --keep                  # tests that fail now and then
          integration-tests/reliability --page-only      # the page again, from integration-tests/results

      With no failure in N independent runs, the rate of failures is below 3/N with 95 % confidence. N is the number of runs
      made, not the number requested.

      """;

  private static final String NOT_COVERED =
      """
      ## Not covered

      * Disks are simulated in all suites but the one for isolation and the one for key indexes: syncs, names, torn sectors and
        failures are a model of a file system. `KillIT` in `./mvnw verify` kills whole processes on a real disk. Power cuts of real
        file systems lose what the system held in memory, but not what a drive keeps in a cache of its own.
      * The suites of the engine have one node and one clock. Those of the cluster have several nodes in one thread, with a
        simulated network and clocks of their own ([simulation.md](simulation.md)); sockets, flow control and threads are those
        of the tests with real processes in `./mvnw verify`.
      * Suites on threads (isolation) see the interleavings of the machine that they ran on, and no seed repeats them.
      * The planted bugs were chosen with the suites in mind. That all are caught shows that the suites check what they claim to
        check, not that they would find any bug.
      * A bug lists the suites that show it every time, not all that may.
      * The decoders are fuzzed separately; [fuzzing.md](fuzzing.md) has those figures.
      """;

  private final List<Result> results;
  private final List<Outcome> outcomes;
  private final List<Score> scores;
  private final List<RealResult> real;
  private final List<Hunt.Result> hunted;

  /**
   * A page.
   *
   * @param results the result of each suite
   * @param outcomes of the newest planting
   * @param scores of the bugs that a machine made
   * @param real the results of real disks and networks
   * @param hunted what failed when the tests of the build were repeated
   */
  ReliabilityPage(
      List<Result> results,
      List<Outcome> outcomes,
      List<Score> scores,
      List<RealResult> real,
      List<Hunt.Result> hunted) {
    this.results = results;
    this.outcomes = outcomes;
    this.scores = scores;
    this.real = real;
    this.hunted = hunted;
  }

  String text() {
    StringBuilder text = new StringBuilder(HEAD);
    text.append("Machine of these runs: ").append(machine()).append(".\n\n");
    promises(text);
    suites(text);
    planted(text);
    mutants(text);
    real(text);
    hunted(text);
    text.append(FaultPolicy.TEXT);
    text.append(NOT_COVERED);
    return text.toString();
  }

  private static String machine() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.availableProcessors()
        + " processors, Java "
        + Runtime.version().feature()
        + ", "
        + System.getProperty("os.name")
        + ", a heap of 1 GiB for each suite";
  }

  private void promises(StringBuilder text) {
    text.append("## Promises\n\n");
    row(text, "promise", "faults injected", "suites", "violations", "planted bugs caught");
    row(text, "---", "---", "---", "---", "---");
    for (Promise promise : Promise.values()) {
      List<String> bugs =
          outcomes.stream()
              .filter(outcome -> isOf(outcome, promise))
              .map(Outcome::bug)
              .distinct()
              .toList();
      long caught =
          bugs.stream()
              .filter(
                  bug -> outcomes.stream().allMatch(o -> !o.bug().equals(bug) || o.caught() > 0))
              .count();
      row(
          text,
          "**" + promise + " " + promise.title() + ".** " + promise.statement(),
          promise.faults(),
          promise.suites().stream().map(Suite::label).collect(Collectors.joining(", ")),
          violations(promise),
          bugs.isEmpty() ? "none planted" : caught + " of " + bugs.size());
    }
    text.append('\n');
  }

  private static boolean isOf(Outcome outcome, Promise promise) {
    return Arrays.asList(outcome.promises().split(", *", -1)).contains(promise.name());
  }

  private String violations(Promise promise) {
    if (promise.suites().isEmpty()) {
      return "not run";
    }
    long failed = 0;
    List<String> missing = new ArrayList<>();
    for (Suite suite : promise.suites()) {
      Optional<Result> result = resultOf(suite);
      result.ifPresentOrElse(found -> {}, () -> missing.add(suite.label()));
      failed += result.map(Result::failed).orElse(0L);
    }
    return failed + (missing.isEmpty() ? "" : "; not run: " + String.join(", ", missing));
  }

  private Optional<Result> resultOf(Suite suite) {
    return results.stream().filter(result -> result.suite().equals(suite.label())).findFirst();
  }

  private void suites(StringBuilder text) {
    text.append("## Suites and runs\n\n");
    row(
        text,
        "suite",
        "what it does",
        "run with",
        "tests, failed",
        "it counted",
        "seconds",
        "commit");
    row(text, "---", "---", "---", "---", "---", "---", "---");
    for (Suite suite : Suite.values()) {
      Optional<Result> found = resultOf(suite);
      if (found.isEmpty()) {
        row(text, suite.label(), suite.method(), "not run", "", "", "", "");
        continue;
      }
      Result result = found.get();
      row(
          text,
          suite.label(),
          suite.method(),
          settings(suite, result),
          result.tests() + ", " + result.failed(),
          result.figures().stream().map(ReliabilityPage::figures).collect(Collectors.joining("; ")),
          Long.toString(result.seconds()),
          result.commit());
    }
    text.append("\nThe goals, where they are more: ");
    text.append(
        Arrays.stream(Suite.values())
            .filter(
                suite -> resultOf(suite).map(r -> !r.counts().equals(suite.whole())).orElse(true))
            .filter(suite -> !suite.whole().isEmpty())
            .map(suite -> suite.label() + " " + settings(suite.whole()))
            .collect(Collectors.joining(", ")));
    text.append(".\n\n");
    for (Result result : results) {
      if (result.failed() > 0) {
        text.append("* **").append(result.suite()).append("** failed: ");
        text.append(result.first().lines().findFirst().orElse("")).append("\n\n");
      }
    }
  }

  private static String settings(Suite suite, Result result) {
    String counts = settings(result.counts());
    return suite.seedProperty() == null ? counts : counts + ", first seed " + result.seed();
  }

  private static String settings(Map<String, String> counts) {
    return counts.isEmpty()
        ? "its own counts"
        : counts.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(count -> "`" + count.getKey() + "=" + count.getValue() + "`")
            .collect(Collectors.joining(" "));
  }

  private static String figures(JsonObject figures) {
    String what = figures.get("what").getAsString();
    return figures.entrySet().stream()
        .filter(figure -> !figure.getKey().equals("what"))
        .map(figure -> figure.getValue().getAsString() + " " + figure.getKey())
        .collect(Collectors.joining(", ", what + ": ", ""));
  }

  private void planted(StringBuilder text) {
    text.append("## Planted bugs\n\n");
    text.append(
        """
        Each is a patch in `integration-tests/planted`; the suite ran with the counts named, once for each seed. Suites without
        seeds ran once, and their failed tests are counted. Without a bug each of them passed with the same seeds. Suites of
        whole clusters run seed after seed, at most %d, and stop at the first that catches the bug; "at seed 7" says that it was
        the seventh, and that seed passes without the bug.

        The bugs at the edge (pages, searches, sessions, accounts, loads, restore, hints and the Java client) were chosen from the
        sources, without a look at the tests. Each was tried against the test classes of its part: 47 of 76 were caught by them as
        they were (62 %%), and 29 escaped. 13 of those have a test since, and are planted here with the 47. The other 16 have none
        yet: order among long answers, time-outs and turns of a session (5), cancellations in a message that is too large, rings and
        budgets of the Java client (4), ends of ranges and truncations in a restore (2), quotes and limits of the shell (2), and
        super columns and rows that go on within one answer (2). Some of these may change nothing that a caller sees.

        """
            .formatted(Suite.SEEDS_MAX));
    row(
        text,
        "bug",
        "promise",
        "what is wrong",
        "suite",
        "caught in",
        "tests failed",
        "first seed");
    row(text, "---", "---", "---", "---", "---", "---", "---");
    Map<String, String> counts = new LinkedHashMap<>();
    for (Outcome outcome : outcomes) {
      counts.putIfAbsent(outcome.suite(), settings(Suite.named(outcome.suite()).brief()));
      row(
          text,
          outcome.bug(),
          outcome.promises(),
          outcome.breaks(),
          outcome.suite(),
          caughtIn(outcome),
          outcome.testsFailed() + " of " + outcome.tests(),
          outcome.firstSeed() == 0 ? "" : Long.toString(outcome.firstSeed()));
    }
    text.append("\nCounts of each run: ");
    text.append(
        counts.entrySet().stream()
            .map(suite -> suite.getKey() + " " + suite.getValue())
            .collect(Collectors.joining(", ")));
    text.append(".\n\n");
  }

  private void mutants(StringBuilder text) {
    if (scores.isEmpty()) {
      return;
    }
    text.append("## Bugs made by machine\n\n");
    text.append(
        """
        `integration-tests/mutants` changes the compiled classes of a package in small ways, a sample of them in each class,
        and runs the server's tests that reach the change, at the counts of `./mvnw verify`. The packages
        of storage and of reads and writes were tried in a half of their classes, without the tests
        of whole clusters (`--quick`).

        """);
    row(text, "package", "mutants", "noticed", "survived", "of these with a reason", "commit");
    row(text, "---", "---", "---", "---", "---", "---");
    for (Score score : scores) {
      long seen = score.survivors().stream().filter(s -> !s.reason().isEmpty()).count();
      row(
          text,
          score.part(),
          Integer.toString(score.made()),
          score.noticed() + " (" + score.noticed() * 100 / Math.max(1, score.made()) + " %)",
          Integer.toString(score.survivors().size()),
          Long.toString(seen),
          score.commit());
    }
    text.append("\nThe survivors:\n\n");
    row(text, "where", "change", "why no test notices");
    row(text, "---", "---", "---");
    for (Score score : scores) {
      for (Mutants.Survivor survivor : score.survivors()) {
        row(
            text,
            "`" + score.part() + "." + survivor.place() + "`",
            survivor.change().replace("dev/colonnade/server/", ""),
            survivor.reason().isEmpty() ? "**not looked at yet**" : survivor.reason());
      }
    }
    text.append('\n');
  }

  private static String caughtIn(Outcome outcome) {
    if (outcome.caught() > 0 && Suite.named(outcome.suite()).seedsMax() > 0) {
      return "at seed " + outcome.runs();
    }
    String runs = outcome.caught() + " of " + outcome.runs() + " runs";
    return outcome.caught() == 0 ? "**NOT CAUGHT**, " + runs : runs;
  }

  private void hunted(StringBuilder text) {
    text.append(
        """
        ## Tests that fail now and then

        `integration-tests/hunt` runs the test classes of the build again and again, each time in new processes, on a quiet and
        on a loaded machine. A test that fails once in many runs is a bug of the product or of the test.

        """);
    if (hunted.isEmpty()) {
      text.append("Not run yet.\n");
    } else {
      HuntTable.write(text, hunted);
    }
    text.append('\n');
  }

  private void real(StringBuilder text) {
    text.append(
        """
        ## Real disks and networks

        Real nodes, whose file systems on loop devices lose their power or run full, and whose network is partitioned
        (`integration-tests/real`, root on Linux). No node was started by hand, and all acknowledged writes were looked for.

        The case `history` (`integration-tests/history --minutes N`) kills, suspends, cuts off and restarts nodes with TLS,
        accounts and clocks apart, while they take snapshots and merge. Clients of every kind (`client-java`, generated stubs,
        sessions, streams) record each call with its beginning, its end and its outcome, which may be unknown: rows of four
        columns overwritten by one batch, with 20 kB and with 12 bytes a column, at QUORUM, at ONE and on one replica; sets in
        pages and their counts; documents and searches; rights; families. All of it is checked as one history:

        * an answer shows all of a batch or nothing; at ONE of several replicas, as long as none of them can have missed a batch;
        * it shows only what a change wrote that had begun and was not refused;
        * at QUORUM it is not older than what was acknowledged or shown before it began, and what is deleted stays away;
        * a count lies between the columns that were there all the time and those that may have been;
        * a node that was reachable for 12 s knows every right and family that was acknowledged.

        Two more checkers look at the same history, each column, or each row that is always written whole, as an object whose
        calls took effect one after another: a search in the manner of Wing, Gong and Lowe, and
        [Porcupine](https://github.com/anishathalye/porcupine) (`integration-tests/porcupine`), which was not written for this.
        `WrongHistoriesTest` shows all of them histories that are wrong in each way.

        """);
    row(text, "case", "what is done", "rounds", "it counted", "violations", "seconds", "commit");
    row(text, "---", "---", "---", "---", "---", "---", "---");
    for (RealResult result : real) {
      row(
          text,
          result.name(),
          result.what(),
          Integer.toString(result.rounds()),
          result.figures(),
          Integer.toString(result.violations()),
          Long.toString(result.seconds()),
          result.commit());
    }
    text.append('\n');
  }

  static void row(StringBuilder text, String... cells) {
    text.append("| ");
    text.append(
        Arrays.stream(cells)
            .map(cell -> cell.replace("|", "\\|"))
            .collect(Collectors.joining(" | ")));
    text.append(" |\n");
  }
}
