package dev.colonnade.cli.local;

import dev.colonnade.cli.local.bench.BenchSubject;
import dev.colonnade.cli.local.bench.ClusterBenchmark;
import dev.colonnade.cli.local.bench.LoadBenchmark;
import dev.colonnade.cli.local.bench.Measurement;
import dev.colonnade.cli.local.bench.StoppedReplica;
import dev.colonnade.cli.local.bench.TransportBenchmark;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Output;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a benchmark found, for people and for programs. */
final class BenchReport {

  private static final int WINDOWS_SHOWN_BEFORE = 4;

  private final Output output;

  BenchReport(Output output) {
    this.output = output;
  }

  void calls(List<BenchSubject> contenders) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (BenchSubject contender : contenders) {
      Measurement measured = contender.measured();
      lines.add(
          List.of(
              contender.name(),
              number(measured.callsPerSecond(), 0),
              number(measured.millisAt(Measurement.MEDIAN), 2),
              number(measured.millisAt(Measurement.NEAR_TAIL), 2),
              number(measured.millisAt(Measurement.TAIL), 2),
              number(measured.millisAt(Measurement.FAR_TAIL), 2),
              number(measured.maxMillis(), 2),
              number(measured.cpuMicrosPerCall(), 1)));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("call", contender.name());
      item.putAll(measured.figures());
      items.add(item);
    }
    listing(
        "bench_call",
        "bench_calls",
        List.of("calls/s", "p50 ms", "p95 ms", "p99 ms", "p99.9 ms", "max ms", "CPU us"),
        "call",
        lines,
        items);
  }

  /**
   * What reads were like.
   *
   * @param all whether to print every window, not only those in which something happens
   */
  void standstill(StoppedReplica scenario, boolean all) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    double bound = StoppedReplica.NORMAL_RATIO * scenario.normalMillis();
    for (StoppedReplica.Window window : scenario.windows()) {
      boolean near =
          Math.abs(window.afterStopMillis()) <= WINDOWS_SHOWN_BEFORE * scenario.windowMillis();
      boolean telling = window.p99Millis() > bound || window.failures() > 0;
      if (all || near || (telling && window.afterStopMillis() > 0)) {
        lines.add(
            List.of(
                number(window.afterStopMillis() / 1000.0, 2),
                window.state().name().toLowerCase(Locale.ROOT),
                Long.toString(window.calls()),
                Integer.toString(window.failures()),
                number(window.p50Millis(), 2),
                number(window.p99Millis(), 2),
                number(window.maxMillis(), 2)));
      }
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("afterStopMillis", window.afterStopMillis());
      item.put("state", window.state().name());
      item.put("calls", window.calls());
      item.put("failures", window.failures());
      item.put("p50Millis", window.p50Millis());
      item.put("p99Millis", window.p99Millis());
      item.put("maxMillis", window.maxMillis());
      items.add(item);
    }
    output.note(
        "Reads at QUORUM around the pause of a replica; normal p99 is "
            + number(scenario.normalMillis(), 2)
            + " ms"
            + (all ? ":" : "; windows with more than twice that:"));
    listing(
        "bench_window",
        "bench_windows",
        List.of("replica", "calls", "failed", "p50 ms", "p99 ms", "max ms"),
        "seconds",
        lines,
        items);
  }

  void transport(List<TransportBenchmark.Line> figures) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (TransportBenchmark.Line line : figures) {
      lines.add(
          List.of(
              line.name(),
              number(line.perSecond(), 0),
              number(line.cpuMicros(), 1),
              number(line.framesPerBatch(), 1),
              number(line.p50Micros(), 0),
              number(line.p99Micros(), 0),
              number(line.maxMicros(), 0)));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("load", line.name());
      item.put("perSecond", line.perSecond());
      item.put("cpuMicros", line.cpuMicros());
      item.put("framesPerBatch", line.framesPerBatch());
      item.put("p50Micros", line.p50Micros());
      item.put("p99Micros", line.p99Micros());
      item.put("maxMicros", line.maxMicros());
      items.add(item);
    }
    listing(
        "bench_load",
        "bench_loads",
        List.of("per s", "CPU us", "in one", "p50 us", "p99 us", "max us"),
        "load",
        lines,
        items);
  }

  /** What each way of writing the same rows cost, beside single inserts. */
  void load(List<LoadBenchmark.Line> figures) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    double inserts = figures.get(0).cpuNanosPerByte();
    for (LoadBenchmark.Line line : figures) {
      String way = line.way().name().toLowerCase(Locale.ROOT);
      double megabytesPerSecond = line.bytes() / 1e6 / line.seconds();
      lines.add(
          List.of(
              way,
              number(megabytesPerSecond, 1),
              number(line.cpuNanosPerByte(), 1),
              number(line.megabytesPerCore(), 1),
              number(inserts / line.cpuNanosPerByte(), 1)));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("way", way);
      item.put("bytes", line.bytes());
      item.put("megabytesPerSecond", megabytesPerSecond);
      item.put("cpuNanosPerByte", line.cpuNanosPerByte());
      item.put("megabytesPerCore", line.megabytesPerCore());
      item.put("insertsCostTimes", inserts / line.cpuNanosPerByte());
      items.add(item);
    }
    listing(
        "bench_way",
        "bench_ways",
        List.of("MB/s", "CPU ns/byte", "MB/s per core", "inserts cost times"),
        "way",
        lines,
        items);
  }

  void limits(List<ClusterBenchmark.Limit> limits) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (ClusterBenchmark.Limit limit : limits) {
      lines.add(
          List.of(
              limit.name(),
              number(limit.figure(), 2),
              number(limit.atMost(), 2),
              limit.holds() ? "ok" : "EXCEEDED"));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("name", limit.name());
      item.put("figure", limit.figure());
      item.put("atMost", limit.atMost());
      item.put("holds", limit.holds());
      items.add(item);
    }
    listing("bench_limit", "bench_limits", List.of("figure", "at most", ""), "limit", lines, items);
  }

  private void listing(
      String kind,
      String plural,
      List<String> numbers,
      String first,
      List<List<String>> lines,
      List<Map<String, Object>> items) {
    List<Listing.Column> columns =
        Stream.concat(
                Stream.of(Listing.Column.words(first)),
                numbers.stream().map(Listing.Column::numbers))
            .collect(Collectors.toList());
    output.listing(new Listing(kind, plural, columns, lines, items, "nothing was measured"));
  }

  private static String number(double value, int decimals) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
