package dev.colonnade.cli.local.bench;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What some windows of one kind of call added up to. Not thread-safe. */
public final class Measurement {

  /** The median. */
  public static final double MEDIAN = 50;

  /** One call in twenty takes longer. */
  public static final double NEAR_TAIL = 95;

  /** One call in a hundred takes longer. */
  public static final double TAIL = 99;

  /** One call in a thousand takes longer. */
  public static final double FAR_TAIL = 99.9;

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Histogram latencyNanos = new Histogram(3);
  private long wallNanos;
  private long cpuNanos;

  /** Nothing measured yet. */
  public Measurement() {}

  /**
   * One window more.
   *
   * @param window latencies in nanoseconds
   */
  public void add(Histogram window, Duration wall, Duration serverCpu) {
    latencyNanos.add(window);
    wallNanos += wall.toNanos();
    cpuNanos += serverCpu.toNanos();
  }

  /** How many calls there were. */
  public long calls() {
    return latencyNanos.getTotalCount();
  }

  /** How many there were per second. */
  public double callsPerSecond() {
    return latencyNanos.getTotalCount() * NANOS_PER_SECOND / Math.max(1, wallNanos);
  }

  /** The servers' time of the processor for each call. */
  public double cpuMicrosPerCall() {
    return cpuNanos / NANOS_PER_MICRO / Math.max(1, latencyNanos.getTotalCount());
  }

  /** The latency that this percentage of calls did not exceed. */
  public double millisAt(double percentile) {
    return latencyNanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
  }

  /** The longest. */
  public double maxMillis() {
    return latencyNanos.getMaxValue() / NANOS_PER_MILLI;
  }

  /** All figures by the names that programs know them by. */
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("calls", calls());
    figures.put("callsPerSecond", callsPerSecond());
    figures.put("p50Millis", millisAt(MEDIAN));
    figures.put("p95Millis", millisAt(NEAR_TAIL));
    figures.put("p99Millis", millisAt(TAIL));
    figures.put("p999Millis", millisAt(FAR_TAIL));
    figures.put("maxMillis", maxMillis());
    figures.put("serverCpuMicrosPerCall", cpuMicrosPerCall());
    return figures;
  }
}
