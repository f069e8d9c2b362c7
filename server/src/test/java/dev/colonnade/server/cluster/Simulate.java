package dev.colonnade.server.cluster;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs seeds and prints a table; the main class of {@code integration-tests/simulate}. The status
 * is 1 if something was wrong.
 */
public final class Simulate {
  private static final String REPLAY = "integration-tests/simulate --seed ";

  private final List<RunReport> reports = new ArrayList<>();
  private final Map<String, Integer> sometimes = new TreeMap<>();
  private long first = 1;
  private long seeds = 50;
  private boolean traced;
  private boolean minimised;
  private DataRun.Settings settings = DataRun.Settings.DEFAULT;

  private Simulate() {}

  /** Runs what the arguments say; {@code integration-tests/simulate --help} lists them. */
  public static void main(String[] args) {
    Simulate simulate = new Simulate();
    simulate.read(List.of(args));
    System.exit(simulate.run() ? 0 : 1);
  }

  private void read(List<String> args) {
    for (int i = 0; i < args.size(); i++) {
      switch (args.get(i)) {
        case "--seeds" -> seeds = Long.parseLong(args.get(++i));
        case "--from" -> first = Long.parseLong(args.get(++i));
        case "--seed" -> {
          first = Long.parseLong(args.get(++i));
          seeds = 1;
          traced = true;
        }
        case "--without" -> settings = settings.withAllowed(without(args.get(++i)));
        case "--minimise" -> minimised = true;
        case "--trace" -> settings = settings.withKeptEntries(Integer.parseInt(args.get(++i)));
        default -> throw new IllegalArgumentException(args.get(i) + " is no option; see --help");
      }
    }
  }

  private Set<FaultKind> without(String names) {
    Set<FaultKind> allowed = EnumSet.copyOf(settings.allowed());
    for (String name : names.split(",")) {
      allowed.remove(FaultKind.valueOf(name.trim().toUpperCase(Locale.ROOT)));
    }
    return allowed;
  }

  private boolean run() {
    System.out.println(
        "  seed  trace             events  simulated  writes  unknown  reads  faults  result");
    for (long seed = first; seed < first + seeds; seed++) {
      RunReport report = DataRun.of(seed, settings);
      reports.add(report);
      print(report);
      report.sometimes().forEach((what, count) -> seen(what, count));
      if (!report.isGood() && (traced || minimised)) {
        minimise(report);
      }
    }
    return summary();
  }

  private void seen(String what, long count) {
    sometimes.merge(what, count > 0 ? 1 : 0, Integer::sum);
  }

  private void print(RunReport report) {
    System.out.printf(
        Locale.ROOT,
        "%6d  %016x  %6d  %7d s  %6d  %7d  %5d  %6d  %s%n",
        report.seed(),
        report.hash(),
        report.events(),
        report.age().toSeconds(),
        report.acknowledged(),
        report.refused(),
        report.answered(),
        report.faults().values().stream().mapToInt(Integer::intValue).sum(),
        report.isGood() ? "good" : "WRONG");
    if (traced) {
      System.out.println("        faults: " + report.faults());
    }
    if (!report.isGood()) {
      report.violations().stream().limit(20).forEach(v -> System.out.println("        ! " + v));
      if (traced) {
        report.trace().forEach(line -> System.out.println("        " + line));
      } else {
        System.out.println("        replay: " + REPLAY + report.seed());
      }
    }
  }

  /** Leaves out one kind of fault after another for as long as the run stays wrong. */
  private void minimise(RunReport wrong) {
    Set<FaultKind> needed = EnumSet.noneOf(FaultKind.class);
    needed.addAll(wrong.kinds());
    for (FaultKind kind : wrong.kinds()) {
      Set<FaultKind> fewer = EnumSet.copyOf(needed);
      fewer.remove(kind);
      if (!DataRun.of(wrong.seed(), settings.withAllowed(fewer)).isGood()) {
        needed = fewer;
      }
    }
    System.out.println("        still wrong with only " + needed);
  }

  private boolean summary() {
    long wrong = reports.stream().filter(report -> !report.isGood()).count();
    long busy = reports.stream().filter(RunReport::madeProgress).count();
    long hurt = reports.stream().filter(RunReport::feltFaults).count();
    System.out.println();
    System.out.printf(
        "%d seeds: %d wrong; %d made progress; %d felt faults%n",
        reports.size(), wrong, busy, hurt);
    sometimes.forEach((what, count) -> System.out.printf("  %-28s in %d seeds%n", what, count));
    return wrong == 0;
  }
}
