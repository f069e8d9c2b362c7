package dev.colonnade.it.bench;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** What some windows of one kind of call added up to. Not thread-safe. */
final class Measurement {

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MEDIAN = 50;
  private static final double TAIL = 99;
  private static final double FAR_TAIL = 99.9;

  private final Histogram latencyNanos = new Histogram(3);
  private long wallNanos;
  private long cpuNanos;

  void add(Histogram window, Duration wall, Duration serverCpu) {
    latencyNanos.add(window);
    wallNanos += wall.toNanos();
    cpuNanos += serverCpu.toNanos();
  }

  double callsPerSecond() {
    return latencyNanos.getTotalCount() * NANOS_PER_SECOND / wallNanos;
  }

  double cpuMicrosPerCall() {
    return cpuNanos / NANOS_PER_MICRO / Math.max(1, latencyNanos.getTotalCount());
  }

  double millisAt(double percentile) {
    return latencyNanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
  }

  String columns() {
    return String.format(
        Locale.ROOT,
        "%9.0f %8.2f %8.2f %8.2f %9.1f",
        callsPerSecond(),
        millisAt(MEDIAN),
        millisAt(TAIL),
        millisAt(FAR_TAIL),
        cpuMicrosPerCall());
  }

  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("calls", latencyNanos.getTotalCount());
    json.addProperty("callsPerSecond", callsPerSecond());
    json.addProperty("p50Millis", millisAt(MEDIAN));
    json.addProperty("p99Millis", millisAt(TAIL));
    json.addProperty("p999Millis", millisAt(FAR_TAIL));
    json.addProperty("serverCpuMicrosPerCall", cpuMicrosPerCall());
    return json;
  }
}
