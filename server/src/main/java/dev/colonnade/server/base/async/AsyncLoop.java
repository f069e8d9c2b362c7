package dev.colonnade.server.base.async;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Runs a step repeatedly until it completes with false. The stack does not grow, however many steps
 * complete immediately, and no thread waits.
 */
public final class AsyncLoop {

  private final Supplier<CompletableFuture<Boolean>> step;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final SerialLoop loop = new SerialLoop(this::runOnce, end::completeExceptionally);

  private AsyncLoop(Supplier<CompletableFuture<Boolean>> step) {
    this.step = step;
  }

  /**
   * Repeats {@code step} for as long as it completes with true. Steps never overlap, and each sees
   * what the one before it wrote.
   */
  public static CompletableFuture<Void> whileTrue(Supplier<CompletableFuture<Boolean>> step) {
    AsyncLoop repeat = new AsyncLoop(step);
    repeat.run();
    return repeat.end;
  }

  private void run() {
    loop.wake();
  }

  private void runOnce() {
    Then.whenDone(
        Then.called(step),
        end,
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
