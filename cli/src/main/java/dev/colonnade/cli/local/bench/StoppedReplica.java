package dev.colonnade.cli.local.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Latencies of reads around the moments when a replica stops answering and when it resumes.
 *
 * @param windowMillis how long a window is
 * @param normalMillis the 99th percentile of all calls before the stop
 * @param windows in order, with the first one of the stop at 0
 * @param recoveredMillis how long after the stop the 99th percentile of a whole second was back at
 *     twice the normal one; empty if it never was while the replica was paused
 */
public record StoppedReplica(
    long windowMillis, double normalMillis, List<Window> windows, OptionalLong recoveredMillis) {

  /** What counts as normal again. */
  public static final double NORMAL_RATIO = 2;

  private static final double NANOS_PER_MILLI = 1e6;

  /** A single window among hundreds says little on a busy machine: a second has to be good. */
  private static final long GOOD_MILLIS = 1_000;

  /**
   * One window.
   *
   * @param afterStopMillis when it began; negative before the stop
   * @param state what the replica did
   */
  public record Window(
      long afterStopMillis,
      State state,
      long calls,
      int failures,
      double p50Millis,
      double p99Millis,
      double maxMillis) {}

  /** What the replica does. */
  public enum State {
    /** Before the stop. */
    RUNNING,
    /** Stopped. */
    STOPPED,
    /** It has been resumed. */
    BACK
  }

  /** Copies the list. */
  public StoppedReplica {
    windows = List.copyOf(windows);
  }

  /**
   * Reads a series.
   *
   * @param stopNanos when the replica was stopped
   * @param backNanos when it resumed
   * @param endNanos when the load ended
   */
  public static StoppedReplica of(
      LatencySeries series, Duration window, long stopNanos, long backNanos, long endNanos) {
    int stop = series.windowOf(stopNanos);
    int back = series.windowOf(backNanos);
    int end = series.windowOf(endNanos);
    double normal = p99(series, 0, stop);
    List<Window> windows = new ArrayList<>();
    for (int i = 0; i < end; i++) {
      State state = i < stop ? State.RUNNING : i < back ? State.STOPPED : State.BACK;
      var latencies = series.between(i, i + 1);
      windows.add(
          new Window(
              (i - stop) * window.toMillis(),
              state,
              latencies.getTotalCount(),
              series.failedBetween(i, i + 1),
              latencies.getValueAtPercentile(Measurement.MEDIAN) / NANOS_PER_MILLI,
              latencies.getValueAtPercentile(Measurement.TAIL) / NANOS_PER_MILLI,
              latencies.getMaxValue() / NANOS_PER_MILLI));
    }
    int good = (int) Math.max(1, GOOD_MILLIS / window.toMillis());
    OptionalLong recovered = OptionalLong.empty();
    for (int i = stop; i + good <= back && recovered.isEmpty(); i++) {
      if (series.failedBetween(i, i + good) == 0
          && series.between(i, i + good).getTotalCount() > 0
          && p99(series, i, i + good) <= NORMAL_RATIO * normal) {
        recovered = OptionalLong.of((i - stop) * window.toMillis());
      }
    }
    return new StoppedReplica(window.toMillis(), normal, windows, recovered);
  }

  /** Failed calls while the replica was paused. */
  public int failures() {
    return windows.stream().mapToInt(Window::failures).sum();
  }

  /** Whether reads were normal again within a time. */
  public boolean recoveredWithin(Duration limit) {
    return recoveredMillis.isPresent()
        && recoveredMillis.getAsLong() <= TimeUnit.NANOSECONDS.toMillis(limit.toNanos());
  }

  private static double p99(LatencySeries series, int from, int to) {
    return series.between(from, to).getValueAtPercentile(Measurement.TAIL) / NANOS_PER_MILLI;
  }
}
