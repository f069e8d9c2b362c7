package dev.colonnade.server.async;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Work that one thread at a time does, the one that asks for it first; who asks while it is done
 * leaves it to that one, which then does it once more. So there is no lock, and each turn sees all
 * that was written before it was asked for.
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
   * A loop at rest.
   *
   * @param turn does what there is to do
   * @param failed hears what a turn threw, within the loop; must not throw
   */
  public SerialLoop(Runnable turn, Consumer<Throwable> failed) {
    this.turn = turn;
    this.failed = failed;
  }

  /** Sees to it that a turn begins after this call began. */
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
        Errors.report("the failure of some work could not be told: " + e, inReport);
      }
    }
  }
}
