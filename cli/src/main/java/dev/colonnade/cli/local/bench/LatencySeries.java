package dev.colonnade.cli.local.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Latencies by when calls were due, in windows of equal length. Thread-safe. */
public final class LatencySeries {

  private final long startNanos;
  private final long windowNanos;
  private final List<Histogram> windows = new ArrayList<>();
  private final List<Integer> failures = new ArrayList<>();

  /**
   * An empty series.
   *
   * @param startNanos when its first window begins, by {@link System#nanoTime}
   * @param windows how many there are; what is due later counts for the last
   */
  public LatencySeries(long startNanos, Duration window, int windows) {
    this.startNanos = startNanos;
    this.windowNanos = window.toNanos();
    for (int i = 0; i < windows; i++) {
      this.windows.add(new Histogram(3));
      this.failures.add(0);
    }
  }

  /** A call was answered. */
  public synchronized void answered(long dueNanos, long answeredNanos) {
    windows.get(windowOf(dueNanos)).recordValue(Math.max(0, answeredNanos - dueNanos));
  }

  /** A call failed. */
  public synchronized void failed(long dueNanos) {
    int window = windowOf(dueNanos);
    failures.set(window, failures.get(window) + 1);
  }

  /** How many windows there are. */
  public int size() {
    return windows.size();
  }

  /** In which window a moment is. */
  public int windowOf(long nanos) {
    long window = Math.floorDiv(nanos - startNanos, windowNanos);
    return (int) Math.max(0, Math.min(windows.size() - 1L, window));
  }

  /** The latencies of several windows together; the last is excluded. */
  public synchronized Histogram between(int from, int to) {
    Histogram sum = new Histogram(3);
    for (int i = Math.max(0, from); i < Math.min(to, windows.size()); i++) {
      sum.add(windows.get(i));
    }
    return sum;
  }

  /** How many calls failed in several windows together; the last is excluded. */
  public synchronized int failedBetween(int from, int to) {
    int sum = 0;
    for (int i = Math.max(0, from); i < Math.min(to, failures.size()); i++) {
      sum += failures.get(i);
    }
    return sum;
  }
}
