package dev.colonnade.it.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Whether the limits held, with a line for each. */
record Verdict(boolean holds, String text) {

  private static final double ROW_SIZE_LIMIT = 2;

  static Verdict of(List<Result> results, boolean cpuKnown) {
    if (!cpuKnown) {
      return new Verdict(true, "No verdict: the server's CPU time is not known (see --pid).");
    }
    boolean holds = true;
    List<String> lines = new ArrayList<>();
    for (Result result : results) {
      double limit = result.workload().limitRatio();
      if (limit > 0) {
        boolean within = result.ratio() <= limit;
        holds &= within;
        lines.add(line(result.workload().name(), result.ratio(), limit, within));
      }
    }
    double[] bySize =
        results.stream()
            .filter(result -> Workloads.rowSizeNames().contains(result.workload().name()))
            .mapToDouble(result -> result.measured().cpuMicrosPerCall())
            .sorted()
            .toArray();
    double spread = bySize[bySize.length - 1] / bySize[0];
    boolean within = spread <= ROW_SIZE_LIMIT;
    holds &= within;
    lines.add(line("dearest to cheapest row size", spread, ROW_SIZE_LIMIT, within));
    lines.add(holds ? "All limits hold." : "A limit is exceeded.");
    return new Verdict(holds, String.join(System.lineSeparator(), lines));
  }

  private static String line(String what, double ratio, double limit, boolean within) {
    return String.format(
        Locale.ROOT,
        "%s: %.2f of at most %.1f: %s",
        what,
        ratio,
        limit,
        within ? "ok" : "EXCEEDED");
  }
}
