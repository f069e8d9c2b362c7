package dev.colonnade.it.bench;

import java.util.List;
import java.util.Locale;

/** One kind of call and the call that does nothing beside it. */
record Result(Workload workload, Workload noopWorkload, Measurement measured, Measurement noop) {

  Result(Workload workload) {
    this(
        workload,
        new Workload(
            "no-op",
            NoopServer.method(workload.answerBytes()),
            workload.requests(),
            workload.answerBytes(),
            0),
        new Measurement(),
        new Measurement());
  }

  /** How many times the server's CPU of the call that does nothing this call costs. */
  double ratio() {
    return measured.cpuMicrosPerCall() / noop.cpuMicrosPerCall();
  }

  static String table(List<Result> results) {
    StringBuilder table = new StringBuilder();
    table.append(
        String.format(
            Locale.ROOT,
            "%n%-32s %9s %8s %8s %8s %9s %7s%n",
            "call",
            "calls/s",
            "p50 ms",
            "p99 ms",
            "p999 ms",
            "CPU us",
            "ratio"));
    for (Result result : results) {
      table.append(
          String.format(
              Locale.ROOT,
              "%-32s %s %7.2f%n%-32s %s%n",
              result.workload.name(),
              result.measured.columns(),
              result.ratio(),
              "  no-op of the same bytes",
              result.noop.columns()));
    }
    return table.toString();
  }
}
