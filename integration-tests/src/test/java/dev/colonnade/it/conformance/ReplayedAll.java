package dev.colonnade.it.conformance;

import java.util.List;

/** The reports of all recordings together. */
record ReplayedAll(
    String how,
    List<TraceReplay.Report> reports,
    List<Differences.Entry> unused,
    String differencesUsed) {

  static ReplayedAll of(String how, List<TraceReplay.Report> reports, Differences differences) {
    StringBuilder used = new StringBuilder();
    differences
        .uses()
        .forEach((entry, count) -> used.append("\n  ").append(count).append(" x ").append(entry));
    return new ReplayedAll(how, List.copyOf(reports), differences.unused(), used.toString());
  }

  int compared() {
    return reports.stream().mapToInt(TraceReplay.Report::compared).sum();
  }

  boolean clean() {
    return reports.stream().allMatch(TraceReplay.Report::clean);
  }

  /** Figures for every run, also when nothing is wrong. */
  String summary() {
    int leftOut = reports.stream().mapToInt(TraceReplay.Report::leftOut).sum();
    int undefined = reports.stream().mapToInt(TraceReplay.Report::undefined).sum();
    int different = reports.stream().mapToInt(report -> report.mismatches().size()).sum();
    return String.format(
        "Recorded answers, %s: %d compared, %d left out, %d undefined, %d different; listed differences:%s",
        how, compared(), leftOut, undefined, different, differencesUsed);
  }

  String mismatches() {
    StringBuilder text = new StringBuilder();
    for (TraceReplay.Report report : reports) {
      if (!report.clean()) {
        text.append('\n').append(report);
      }
    }
    return text.toString();
  }
}
