package dev.colonnade.server.sim;

/** The one time of a simulated world. It moves only when told to, and never back. Thread-safe. */
final class VirtualTime {
  private long nanos;

  synchronized long nanos() {
    return nanos;
  }

  synchronized void moveTo(long newNanos) {
    nanos = Math.max(nanos, newNanos);
  }
}
