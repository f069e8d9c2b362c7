package dev.colonnade.server.base.async;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs a turn of work on one thread at a time: the thread that requests it first. A thread that
 * requests it during a turn leaves it to the running one, which then runs one more turn. So no lock
 * is needed, and each turn sees everything written before it was requested.
 *
 * <p>A turn that throws is reported to its owner and ends with that; the next request is served.
 *
 * <p>Thread-safe.
 */
public final class SerialLoop {

  private final Runnable turn;
  private final Consumer<Throwable> failed;
  private final AtomicInteger asked = new AtomicInteger();

  /**
   * Creates an idle loop.
   *
   * @param turn does the work
   * @param failed hears what a turn threw, within the loop; must not throw
   */
  public SerialLoop(Runnable turn, Consumer<Throwable> failed) {
    this.turn = turn;
    this.failed = failed;
  }

  /** Ensures that a turn begins after this call began. */
  public void wake() {
    if (asked.getAndIncrement() != 0) {
      return;
    }
    do {
      // Requests so far are served by one turn; those that come meanwhile by the next.
      asked.set(1);
      turn();
    } while (asked.decrementAndGet() != 0);
  }

  private void turn() {
    try {
      turn.run();
    } catch (RuntimeException | Error e) {
      Errors.escalate(e);
      try {
        failed.accept(e);
      } catch (RuntimeException | Error inReport) {
        Errors.report("could not report the failure of a task: " + e, inReport);
      }
    }
  }
}
