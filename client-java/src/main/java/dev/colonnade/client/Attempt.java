package dev.colonnade.client;

import java.util.concurrent.CompletableFuture;

/** A call on one node that is under way, for the thread that began it. */
interface Attempt<R> {

  /** Waits until it has ended, or the time has passed; whether it has ended. */
  boolean await(long nanos);

  /**
   * Waits for the answer.
   *
   * @throws ColonnadeException with the stack of the caller
   */
  R result();

  /** The rest of it as a future, for a thread that stops waiting itself; cancelling it ends it. */
  CompletableFuture<R> handOver();
}
