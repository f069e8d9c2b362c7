package dev.colonnade.server.cluster.net;

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

  /** Whether the requester has cancelled or its deadline has passed. */
  boolean isCancelled();
}
