package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.FairQueue;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Decides when a call starts on the event loop that brought it. If the loop is not busy, it starts
 * at once. A loop that has run calls for longer than a time slice first polls its connections and
 * does its other work; calls that arrive meanwhile wait in a queue that gives each connection its
 * share of turns. A flood of calls on one connection thus delays the calls of another by a slice
 * and one turn of each connection, not by the whole flood.
 *
 * <p>There is one for each event loop, used by that thread only, except where a method says so.
 */
final class LoopTurns {

  /**
   * How long calls may keep the loop from polling its connections: long enough for tens of small
   * calls, so that a busy loop does not spend its time on polling.
   */
  static final Duration SLICE = Duration.ofMillis(1);

  /** The event loop. */
  interface Loop {
    /**
     * Runs a task on the loop after it has polled all its connections once more.
     *
     * @throws RejectedExecutionException if the loop has ended
     */
    void afterOthers(Runnable task);

    /** Whether the calling thread is the loop's. */
    boolean isCurrent();
  }

  private final Loop loop;
  private final LongSupplier nanos;
  private final FairQueue<Object, Runnable> waiting = new FairQueue<>(1, Integer.MAX_VALUE);

  /** The start of the present time slice. */
  private long stretchNanos;

  private long spentNanos;

  /**
   * Starts with a loop that is not busy.
   *
   * @param nanos the monotonic clock
   */
  LoopTurns(Loop loop, LongSupplier nanos) {
    this.loop = loop;
    this.nanos = nanos;
    this.stretchNanos = nanos.getAsLong();
  }

  /** Whether the calling thread is the loop's. Any thread. */
  boolean isCurrent() {
    return loop.isCurrent();
  }

  /**
   * Runs a task on the loop after it has polled all its connections once more; on this thread if
   * the loop has ended, and with it the connection. Any thread.
   */
  void later(Runnable task) {
    try {
      loop.afterOthers(task);
    } catch (RejectedExecutionException ended) {
      task.run();
    }
  }

  /** Whether a call may start now; otherwise it must {@link #await} its turn. */
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

  /** Starts a call now, if {@link #isFree} has allowed it; must not throw. */
  void run(Runnable call) {
    long begin = nanos.getAsLong();
    try {
      call.run();
    } finally {
      spentNanos += nanos.getAsLong() - begin;
    }
  }

  /**
   * Starts a call when its turn comes. As many calls may wait as may be open.
   *
   * @param connection whose share of the turns it uses
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
      // Their connections have ended with the loop; each call finds that out itself.
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

  /** Starts a call; one that fails must not prevent the others. */
  private static void begin(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      Errors.report("a call could not begin in its turn", e);
    }
  }
}
