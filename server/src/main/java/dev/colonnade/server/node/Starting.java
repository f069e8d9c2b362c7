package dev.colonnade.server.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits while a node starts, when there is nobody yet whom that could hold up. */
final class Starting {

  private static final long WAIT_SECONDS = 60;

  private Starting() {}

  static <T> T await(CompletableFuture<T> future) throws NodeStartException {
    try {
      return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NodeStartException("interrupted while starting", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new NodeStartException(
          cause == null ? String.valueOf(e.getMessage()) : String.valueOf(cause.getMessage()), e);
    } catch (TimeoutException e) {
      throw new NodeStartException(
          "the disk did not answer within " + WAIT_SECONDS + " seconds", e);
    }
  }
}
