package dev.colonnade.it.abuse;

import dev.colonnade.it.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the cases and prints a table. */
@Command(
    name = "abuse",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Treats a node badly, in one way after the other, and prints what well-behaved clients beside"
          + " it notice.",
      "",
      "Each case has a node of its own. The well-behaved send 400 small calls a second. They are"
          + " measured beside a harmless neighbour first, which keeps 64 hot reads in flight, and"
          + " then beside the abuse; both neighbours have a lower priority than they. A case holds"
          + " when the node lives, no line of its log tells of memory that could not be had, every"
          + " probe was answered, goodput was at least 80 %% of that beside the harmless neighbour,"
          + " and their 99th percentile at most 5 times as long (counting less than 5 ms as 5 ms).",
      ""
    })
final class AbuseRun implements Callable<Integer> {

  @Option(
      names = "--case",
      paramLabel = "NAME",
      description =
          "Only this case; may be repeated. --list names them; \"together\" is all of them at"
              + " once.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      description =
          "As in COLONNADE_HEAP, or \"default\"; may be repeated (default: 256m and default).")
  private List<String> heaps = new ArrayList<>();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "600",
      description = "How long each case lasts (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(names = "--list", description = "Print the cases and end.")
  private boolean list;

  /** For picocli. */
  AbuseRun() {
    seconds = 600;
  }

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new AbuseRun()).execute(args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (list) {
      AbuseCases.all().forEach(one -> System.out.printf("%-16s %s%n", one.name(), one.what()));
      return 0;
    }
    List<AbuseCase> cases =
        names.isEmpty() ? AbuseCases.all() : names.stream().map(AbuseCases::named).toList();
    if (heaps.isEmpty()) {
      heaps = List.of("256m", "default");
    }
    System.out.println(PageCacheFloor.measure());
    System.out.println(AbuseTrial.Outcome.header());
    boolean hold = true;
    for (String heap : heaps) {
      for (AbuseCase one : cases) {
        hold &= run(one, heap.equals("default") ? "" : heap);
      }
    }
    return hold ? 0 : 1;
  }

  private boolean run(AbuseCase one, String heap) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("colonnade-abuse");
    Duration base = Duration.ofSeconds(Math.max(3, Math.min(20, seconds)));
    AbuseTrial.Outcome outcome =
        new AbuseTrial(one, heap, Duration.ofSeconds(seconds), base).run(folder);
    System.out.println(outcome.row());
    outcome.outOfMemory().stream().limit(3).forEach(line -> System.err.println("  " + line));
    if (System.getProperty("colonnade.abuse.keep") == null) {
      Folders.delete(folder);
    } else {
      System.err.println("  kept " + folder);
    }
    return outcome.holds();
  }
}
