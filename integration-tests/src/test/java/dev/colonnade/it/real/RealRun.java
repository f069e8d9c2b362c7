package dev.colonnade.it.real;

import dev.colonnade.it.ClassArchive;
import dev.colonnade.it.Folders;
import dev.colonnade.it.SmallDisk;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the cases and prints a table. */
@Command(
    name = "real",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Breaks what real nodes stand on, and looks for what they promised.",
      "",
      "power      cuts the power (forced shutdown) of ext4 and xfs on loop devices under load, in both"
          + " modes of the commit log",
      "full-disk  fills the file system of a loaded node again and again",
      "hang       freezes the file system of a loaded node, of one alone and of one of three",
      "partition  lets the network between three nodes fall apart while clients read and write at"
          + " QUORUM",
      "keyspaces  makes a hundred keyspaces of two families each a round, on three nodes, one of"
          + " which is away half of the time",
      "",
      "Takes root on Linux, and the programs mount, mkfs.ext4, mkfs.xfs, fsfreeze, perl, ip and"
          + " nft. A case that"
          + " this machine cannot run is skipped with the reason. The status is 1 when something"
          + " promised was not kept.",
      ""
    })
final class RealRun implements Callable<Integer> {

  private static final int VIOLATIONS_TOLD = 5;
  private static final String ROW = "%-20s %6s %8s %10s  %s%n";

  @Parameters(
      paramLabel = "CASE",
      description =
          "Only the cases whose names begin with one of these, such as power or power-xfs; --list"
              + " names them (default: all).")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "20",
      description = "How often each case breaks something (default: ${DEFAULT-VALUE}).")
  private int rounds = 20;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description =
          "Makes the choices of the run that printed this seed; the machine's timing is its"
              + " own.")
  private long seed = System.nanoTime();

  @Option(names = "--require", description = "A case that cannot be run counts as a violation.")
  private boolean require;

  @Option(
      names = "--keep",
      description = "Leave the folder of a case that was violated, and name it.")
  private boolean keep;

  @Option(
      names = "--results",
      paramLabel = "FILE",
      description =
          "Keep what came of each case in this file, as a line of JSON;"
              + " integration-tests/results/real.jsonl is what docs/reliability.md is made from.")
  private @Nullable Path results;

  @Option(names = "--list", description = "Print the cases and end.")
  private boolean list;

  private @Nullable ClassArchive classes;

  /** For picocli. */
  RealRun() {}

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new RealRun()).execute(args));
  }

  private static List<RealCase> all() {
    List<RealCase> cases = new ArrayList<>();
    for (SmallDisk.Kind kind : List.of(SmallDisk.Kind.EXT4, SmallDisk.Kind.XFS)) {
      for (String mode : List.of("batch", "periodic")) {
        cases.add(new PowerCuts(kind, mode));
      }
    }
    for (SmallDisk.Kind kind : SmallDisk.Kind.values()) {
      cases.add(new FullDisk(kind));
    }
    cases.add(new HangingDisk());
    cases.add(new HangingLog());
    cases.add(new Partitions());
    cases.add(new ManyKeyspaces());
    return cases;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<RealCase> cases =
        all().stream()
            .filter(one -> names.isEmpty() || names.stream().anyMatch(one.name()::startsWith))
            .toList();
    if (cases.isEmpty()) {
      throw new CommandLine.ParameterException(
          new CommandLine(this),
          "no case is called " + String.join(" or ", names) + "; see --list");
    }
    if (list) {
      cases.forEach(one -> System.out.printf("%-20s %s%n", one.name(), one.what()));
      return 0;
    }
    System.out.println("seed " + seed);
    System.out.printf(ROW, "case", "rounds", "seconds", "violations", "");
    Path shared = Files.createTempDirectory("colonnade-real");
    boolean holds = true;
    try {
      for (RealCase one : cases) {
        holds &= run(one, () -> classes(shared));
      }
    } finally {
      Folders.delete(shared);
    }
    return holds ? 0 : 1;
  }

  private ClassArchive classes(Path shared) throws IOException {
    if (classes == null) {
      classes = ClassArchive.in(shared);
    }
    return classes;
  }

  private boolean run(RealCase one, RealCase.Classes archive)
      throws IOException, InterruptedException {
    String missing = one.missing();
    if (!missing.isEmpty()) {
      System.out.printf(ROW, one.name(), 0, 0, "skipped", missing.lines().findFirst().orElse(""));
      return !require;
    }
    Path folder = Files.createTempDirectory("colonnade-" + one.name());
    // Each case has its own, so that one alone repeats its choices.
    Random random = new Random(seed ^ one.name().hashCode());
    RealCase.Outcome outcome = outcome(one, new RealCase.Plan(folder, archive, rounds, random));
    System.out.printf(
        ROW,
        one.name(),
        outcome.rounds(),
        outcome.took().toSeconds(),
        outcome.violations().size(),
        outcome.figures());
    outcome.violations().stream()
        .limit(VIOLATIONS_TOLD)
        .forEach(words -> System.out.println("  " + words));
    if (results != null) {
      RealResult.of(one, outcome, seed).keepIn(results);
    }
    boolean holds = outcome.violations().isEmpty();
    if (keep && !holds) {
      System.out.println("  kept " + folder);
    } else {
      Folders.delete(folder);
    }
    return holds;
  }

  /** An exception ends a case, and not the others. */
  private static RealCase.Outcome outcome(RealCase one, RealCase.Plan plan)
      throws InterruptedException {
    long begin = System.nanoTime();
    try {
      return one.run(plan);
    } catch (IOException | StatusRuntimeException | AssertionError e) {
      return new RealCase.Outcome(
          0,
          0,
          "not run to its end",
          List.of(String.valueOf(e.getMessage())),
          Duration.ofNanos(System.nanoTime() - begin));
    }
  }
}
