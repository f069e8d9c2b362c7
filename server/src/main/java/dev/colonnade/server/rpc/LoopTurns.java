package dev.colonnade.server.rpc;

import dev.colonnade.server.async.Errors;
import dev.colonnade.server.async.FairQueue;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Decides when a call begins on the event loop that brought it. As long as the loop is not busy, at
 * once. One that has been at calls for longer than a slice of time looks at its connections first,
 * and at its other work; calls that come meanwhile wait in a queue that gives each connection its
 * share of turns. So a flood of calls on one connection keeps those of another waiting for a slice
 * and a turn of each connection, and not for the whole flood.
 *
 * <p>One of each event loop, and for that thread alone.
 */
final class LoopTurns {

  /**
   * How long calls may keep the loop from its connections: long enough for tens of small calls, so
   * that a busy loop does not spend its time on going around.
   */
  static final Duration SLICE = Duration.ofMillis(1);

  /** The event loop. */
  interface Loop {
    /**
     * Runs a task on the loop after it has looked at all its connections once more.
     *
     * @throws RejectedExecutionException if the loop has ended
     */
    void afterOthers(Runnable task);
  }

  private final Loop loop;
  private final LongSupplier nanos;
  private final FairQueue<Object, Runnable> waiting = new FairQueue<>(1, Integer.MAX_VALUE);

  /** When the present stretch of time began, of which calls may use a slice at once. */
  private long stretchNanos;

  private long spentNanos;

  /**
   * For a loop that is not busy.
   *
   * @param nanos the monotonic clock
   */
  LoopTurns(Loop loop, LongSupplier nanos) {
    this.loop = loop;
    this.nanos = nanos;
    this.stretchNanos = nanos.getAsLong();
  }

  /** Whether a call may begin now; otherwise it has to {@link #await} its turn. */
  boolean isFree() {
    if (!waiting.isEmpty()) {
      return false;
    }
    long now = nanos.getAsLong();
    if (now - stretchNanos >= 2 * SLICE.toNanos()) {
      stretchNanos = now;
      spentNanos = 0;
    }
    return spentNanos < SLICE.toNanos();
  }

  /** Begins a call now, which {@link #isFree} has allowed; must not throw. */
  void run(Runnable call) {
    long begin = nanos.getAsLong();
    try {
      call.run();
    } finally {
      spentNanos += nanos.getAsLong() - begin;
    }
  }

  /**
   * Begins a call in its turn. As many may wait as calls may be open.
   *
   * @param connection whose share of the turns it takes
   * @param call must not throw
   */
  void await(Object connection, Runnable call) {
    boolean first = waiting.isEmpty();
    waiting.offer(connection, 1, call);
    if (first) {
      goOnLater();
    }
  }

  private void goOnLater() {
    try {
      loop.afterOthers(this::turn);
    } catch (RejectedExecutionException ended) {
      // Their connections have ended with the loop; each finds that out by itself.
      for (Runnable call = waiting.poll(); call != null; call = waiting.poll()) {
        run(call);
      }
    }
  }

  private void turn() {
    long begin = nanos.getAsLong();
    spentNanos = 0;
    stretchNanos = begin;
    for (Runnable call = waiting.poll(); call != null; call = waiting.poll()) {
      begin(call);
      if (nanos.getAsLong() - begin >= SLICE.toNanos()) {
        break;
      }
    }
    spentNanos = nanos.getAsLong() - begin;
    if (!waiting.isEmpty()) {
      goOnLater();
    }
  }

  /** One call that cannot begin must not keep the others from it. */
  private static void begin(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      Errors.report("a call could not begin in its turn", e);
    }
  }
}
