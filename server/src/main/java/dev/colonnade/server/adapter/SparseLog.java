package dev.colonnade.server.adapter;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Lets one of many equal messages through in a while, with how many were left out before it: for
 * what strangers can make happen as often as they like. Thread-safe.
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
   * Something happened.
   *
   * @param message says so; is told how often it happened without a word since the last time
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
