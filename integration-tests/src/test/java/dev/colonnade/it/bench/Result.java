package dev.colonnade.it.bench;

import dev.colonnade.cli.local.bench.Measurement;
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
              columns(result.measured),
              result.ratio(),
              "  no-op of the same bytes",
              columns(result.noop)));
    }
    return table.toString();
  }

  private static String columns(Measurement measurement) {
    return String.format(
        Locale.ROOT,
        "%9.0f %8.2f %8.2f %8.2f %9.1f",
        measurement.callsPerSecond(),
        measurement.millisAt(Measurement.MEDIAN),
        measurement.millisAt(Measurement.TAIL),
        measurement.millisAt(Measurement.FAR_TAIL),
        measurement.cpuMicrosPerCall());
  }
}
