package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.cluster.gossip.GossipFigures;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Runs seeds and prints a table; the main class of {@code integration-tests/simulate}. The status
 * is 1 if something was wrong.
 */
public final class Simulate {
  /** Of fewer seeds it is told, but not asked for, how many saw what. */
  private static final int COUNTED = 200;

  /** One seed of this number is run again. */
  private static final int REPEATED_EVERY = 50;

  private final List<RunReport> reports = new ArrayList<>();
  private final Map<String, Integer> sometimes = new TreeMap<>();
  private long first = 1;
  private long seeds = 50;
  private int gossiping;
  private boolean traced;
  private boolean minimised;
  private Workload workload = Workload.DATA;
  private DataRun.Settings settings = DataRun.Settings.DEFAULT;

  private Simulate() {}

  /** Runs what the arguments say; {@code integration-tests/simulate --help} lists them. */
  public static void main(String[] args) {
    Simulate simulate = new Simulate();
    simulate.read(List.of(args));
    boolean good =
        simulate.gossiping > 0
            ? GossipFigures.print(simulate.gossiping, simulate.first)
            : simulate.run();
    System.exit(good ? 0 : 1);
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
        case "--gossip" -> gossiping = Integer.parseInt(args.get(++i));
        case "--workload" -> workload = Workload.of(args.get(++i));
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
      RunReport report = workload.run(seed, settings);
      reports.add(report.withoutTrace());
      print(report);
      report.sometimes().forEach((what, count) -> seen(what, count));
      if (!report.isGood() && (traced || minimised)) {
        minimise(report);
      }
    }
    boolean good = summary();
    return (traced || checkHashes()) && good;
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
        System.out.println("        replay: " + replay(workload, report.seed()));
      }
    }
  }

  /** The command that runs a seed again. */
  static String replay(Workload workload, long seed) {
    return "integration-tests/simulate --workload " + workload.word() + " --seed " + seed;
  }

  /** Leaves out one kind of fault after another for as long as the run stays wrong. */
  private void minimise(RunReport wrong) {
    Set<FaultKind> needed = EnumSet.noneOf(FaultKind.class);
    needed.addAll(wrong.kinds());
    for (FaultKind kind : wrong.kinds()) {
      Set<FaultKind> fewer = EnumSet.copyOf(needed);
      fewer.remove(kind);
      if (!workload.run(wrong.seed(), settings.withAllowed(fewer)).isGood()) {
        needed = fewer;
      }
    }
    System.out.println("        still wrong with only " + needed);
  }

  /** What is counted, and whether it is as it must be. */
  private boolean summary() {
    long wrong = reports.stream().filter(report -> !report.isGood()).count();
    System.out.println();
    boolean good = wrong == 0;
    System.out.printf(
        Locale.ROOT, "%s workload, %d seeds: %d wrong%n", workload.word(), seeds, wrong);
    boolean counts = seeds >= COUNTED;
    good &= line("made progress", workload::madeProgress, counts ? 900 : 0);
    good &= line("felt faults", RunReport::feltFaults, counts ? 900 : 0);
    List<String> needed = workload.sometimes();
    for (String what : sometimes.keySet()) {
      int least = counts && needed.contains(what) ? 10 : 0;
      good &= line(what, report -> report.sometimes().getOrDefault(what, 0L) > 0, least);
    }
    return good;
  }

  private boolean line(String what, Predicate<RunReport> predicate, int leastPerMille) {
    long count = reports.stream().filter(predicate).count();
    boolean enough = count * 1_000 >= leastPerMille * seeds;
    System.out.printf(
        Locale.ROOT,
        "  %-28s in %5d seeds, %5.1f %%%s%n",
        what,
        count,
        100.0 * count / seeds,
        enough ? "" : "  TOO FEW");
    return enough;
  }

  /** Whether seeds give the same trace again, here and in a second JVM. */
  private boolean checkHashes() {
    List<Long> chosen = new ArrayList<>();
    List<String> once = new ArrayList<>();
    for (int i = 0; i < reports.size(); i += REPEATED_EVERY) {
      chosen.add(reports.get(i).seed());
      once.add(SecondJvm.hash(reports.get(i)));
    }
    List<String> twice = new ArrayList<>();
    for (long seed : chosen) {
      twice.add(SecondJvm.hash(workload.run(seed, settings)));
    }
    boolean asEver = settings.equals(DataRun.Settings.DEFAULT);
    List<String> elsewhere = asEver ? SecondJvm.hashes(workload, chosen) : once;
    boolean same = once.equals(twice) && once.equals(elsewhere);
    System.out.printf(
        Locale.ROOT,
        "  %d seeds run again%s: %s%n",
        chosen.size(),
        asEver ? ", here and in a second JVM" : "",
        same ? "the same traces" : "OTHER TRACES: " + once + ", " + twice + ", " + elsewhere);
    return same;
  }
}
