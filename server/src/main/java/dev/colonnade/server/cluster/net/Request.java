package dev.colonnade.server.cluster.net;

import java.util.function.Supplier;

/**
 * A request of another node, or a one-way message. Thread-safe.
 *
 * @see Messenger#handle
 */
public interface Request {

  /** The sender. */
  Peer from();

  /** The body of the request; must not be changed. */
  byte[] body();

  /** When the requester stops waiting, by this node's monotonic clock; MAX_VALUE for never. */
  long deadlineNanos();

  /** The trace of the call that the request belongs to; empty if that is not traced. */
  default byte[] trace() {
    return Frame.NO_TRACE;
  }

  /**
   * Sets what goes back of the trace with the answer. It is asked once, when there is an answer,
   * and gives at most {@link Frame#TRACE_BYTES_MAX} bytes. By default nothing goes back.
   */
  default void answersTrace(Supplier<byte[]> events) {}

  /** Whether the requester has cancelled or its deadline has passed. */
  boolean isCancelled();
}
