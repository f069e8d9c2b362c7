package dev.colonnade.server.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Waits while a node starts, when there is nobody yet whom that could hold up. A node that joins a
 * ring fetches its data meanwhile, which takes as long as it takes, and is logged.
 */
final class Starting {

  private Starting() {}

  static <T> T await(CompletableFuture<T> future) throws NodeStartException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NodeStartException("interrupted while starting", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new NodeStartException(
          cause == null ? String.valueOf(e.getMessage()) : String.valueOf(cause.getMessage()), e);
    }
  }
}
