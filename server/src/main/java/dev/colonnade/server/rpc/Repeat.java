package dev.colonnade.server.rpc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Runs a step, and again when it is done, until it says that it was the last. However many steps
 * complete at once, the stack does not grow, and no thread waits.
 */
final class Repeat {

  private final Supplier<CompletableFuture<Boolean>> step;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final AtomicInteger due = new AtomicInteger();

  private Repeat(Supplier<CompletableFuture<Boolean>> step) {
    this.step = step;
  }

  /**
   * Repeats {@code step} for as long as it completes with true. Steps never overlap, and each sees
   * what the one before it wrote.
   */
  static CompletableFuture<Void> whileTrue(Supplier<CompletableFuture<Boolean>> step) {
    Repeat repeat = new Repeat(step);
    repeat.run();
    return repeat.end;
  }

  /** A call that comes while another runs is counted, and the one that runs does its work. */
  private void run() {
    if (due.getAndIncrement() != 0) {
      return;
    }
    do {
      runOnce();
    } while (due.decrementAndGet() != 0);
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void runOnce() {
    CompletableFuture<Boolean> done;
    try {
      done = step.get();
    } catch (RuntimeException e) {
      end.completeExceptionally(e);
      return;
    }
    done.whenComplete(
        (again, error) -> {
          if (error != null) {
            end.completeExceptionally(error);
          } else if (again) {
            run();
          } else {
            end.complete(null);
          }
        });
  }
}
