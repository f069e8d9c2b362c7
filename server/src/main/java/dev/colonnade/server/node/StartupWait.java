package dev.colonnade.server.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Waits while a node starts, when there is nobody yet whom that could hold up. A node that joins a
 * ring fetches its data meanwhile, which takes as long as it takes, and is logged.
 */
final class StartupWait {

  private StartupWait() {}

  static <T> T await(CompletableFuture<T> future) throws NodeStartException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NodeStartException("interrupted while starting", e);
    } catch (ExecutionException e) {
      throw new NodeStartException(words(e.getCause() == null ? e : e.getCause()), e);
    }
  }

  /** What was thrown for people says it all; the words of other things mean nothing alone. */
  private static String words(Throwable cause) {
    boolean unexpected = cause instanceof Error || cause.getMessage() == null;
    return unexpected
        ? "the node cannot start: "
            + cause
            + " (an error in the program or its installation; the log shows where)"
        : String.valueOf(cause.getMessage());
  }
}
