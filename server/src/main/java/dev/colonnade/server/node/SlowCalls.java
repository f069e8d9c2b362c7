package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.service.rpc.CallMetrics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Remembers the last calls on families that took long, for the status page. Streams take as long as
 * their reader likes and do not count. Thread-safe.
 */
final class SlowCalls implements CallMetrics {

  /** Long enough to annoy someone who waits, and shorter than any usual deadline. */
  static final Duration THRESHOLD = Duration.ofMillis(500);

  private static final int REMEMBERED = 20;
  private static final long MICROS_PER_MILLI = 1_000;

  /** A call that took long; it ended then. */
  record SlowCall(
      long timeMillis,
      String method,
      String keyspace,
      String family,
      long nanos,
      String statusCode) {}

  private final Clock clock;
  private final Deque<SlowCall> calls = new ArrayDeque<>();

  SlowCalls(Clock clock) {
    this.clock = clock;
  }

  @Override
  public void ended(String method, String statusCode, String keyspace, String family, long nanos) {
    if (nanos < THRESHOLD.toNanos() || keyspace.isEmpty() || method.contains("/Stream")) {
      return;
    }
    SlowCall slow =
        new SlowCall(
            clock.wallMicros() / MICROS_PER_MILLI,
            method,
            shortened(keyspace),
            shortened(family),
            nanos,
            statusCode);
    synchronized (this) {
      if (calls.size() == REMEMBERED) {
        calls.removeLast();
      }
      calls.addFirst(slow);
    }
  }

  /** Names come from clients and may be of any length. */
  private static String shortened(String name) {
    int most = 64;
    return name.length() <= most ? name : name.substring(0, most) + "…";
  }

  /** The last ones first. */
  synchronized List<SlowCall> last() {
    return List.copyOf(calls);
  }
}
