package dev.colonnade.client;

import java.time.Duration;
import java.util.Optional;

/** Receives every call that a client makes. For metrics, logs, and counting round trips. */
public interface CallListener {

  /**
   * A call has ended: one for each page of an answer, and one for each stream, at its end. A stream
   * that its reader closes early did not fail. Runs on the thread that waits for the call or on a
   * thread of the client's, before the answer is passed on, and should not block. Thread-safe.
   * Exceptions from it are logged and do not affect the caller.
   *
   * @param method as the contract calls it, such as {@code GetSlice}
   * @param took from the beginning of the call to its end
   * @param failure why it failed; empty if it did not
   */
  void ended(String method, Duration took, Optional<ColonnadeException> failure);
}
