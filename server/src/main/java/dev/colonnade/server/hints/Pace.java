package dev.colonnade.server.hints;

/** Spreads bytes over time. One thread at a time. */
final class Pace {
  private final long bytesPerSecond;
  private long freeAtNanos = Long.MIN_VALUE;

  Pace(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Notes that so many bytes were sent, and answers how long to wait before more are. */
  long delayNanosAfter(long bytes, long nowNanos) {
    long from = freeAtNanos == Long.MIN_VALUE ? nowNanos : Math.max(freeAtNanos, nowNanos);
    freeAtNanos = from + (long) (bytes * 1e9 / bytesPerSecond);
    return freeAtNanos - nowNanos;
  }
}
