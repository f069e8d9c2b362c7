package dev.colonnade.server.node.platform;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Logs one of many equal messages per period, with the number of those left out before it: for
 * events that strangers can cause as often as they like. Thread-safe.
 */
final class SparseLog {

  static final Duration PERIOD = Duration.ofSeconds(10);

  private final long periodNanos;
  private long left;
  private long lastNanos;
  private boolean said;

  SparseLog(Duration period) {
    this.periodNanos = period.toNanos();
  }

  /**
   * Reports an event.
   *
   * @param message logs it; receives the number of events left out since the last message
   */
  void report(LongConsumer message) {
    long silent;
    synchronized (this) {
      long now = System.nanoTime();
      if (said && now - lastNanos < periodNanos) {
        left++;
        return;
      }
      said = true;
      lastNanos = now;
      silent = left;
      left = 0;
    }
    message.accept(silent);
  }

  /** The end of a message: how many were left out. */
  static String andMore(long silent) {
    return silent == 0
        ? ""
        : " (and " + silent + " more in the last " + seconds(PERIOD) + " s or longer)";
  }

  private static long seconds(Duration duration) {
    return TimeUnit.NANOSECONDS.toSeconds(duration.toNanos());
  }
}
