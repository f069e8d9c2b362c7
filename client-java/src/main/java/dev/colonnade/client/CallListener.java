package dev.colonnade.client;

/** Receives every call that a client makes. For metrics, logs, and counting round trips. */
@FunctionalInterface
public interface CallListener {

  /**
   * An attempt of a call has ended: one for each page of an answer, and one for each stream, at its
   * end. A stream that its reader closes early did not fail. Runs on the thread that waits for the
   * call or on a thread of the client's, before the answer is passed on, and should not block.
   * Thread-safe. Exceptions from it are logged and do not affect the caller.
   */
  void ended(CallEvent call);
}
