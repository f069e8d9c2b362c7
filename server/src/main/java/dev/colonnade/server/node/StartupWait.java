package dev.colonnade.server.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Blocks while a node starts, which is harmless because the node does not serve yet. A joining node
 * bootstraps meanwhile, however long that takes, and its progress is logged.
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

  /**
   * The message of a failure; an unexpected exception without a useful message is shown as it is.
   */
  private static String words(Throwable cause) {
    boolean unexpected = cause instanceof Error || cause.getMessage() == null;
    return unexpected
        ? "the node cannot start: "
            + cause
            + " (an error in the program or its installation; the log shows where)"
        : String.valueOf(cause.getMessage());
  }
}
