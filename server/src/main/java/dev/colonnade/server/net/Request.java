package dev.colonnade.server.net;

/**
 * A request of another node, or a one-way message. Thread-safe.
 *
 * @see Messenger#handle
 */
public interface Request {

  /** Who asks. */
  Peer from();

  /** What is asked; not to be changed. */
  byte[] body();

  /** When the asker stops listening, by this node's monotonic clock; MAX_VALUE for never. */
  long deadlineNanos();

  /** Whether the asker listens no more, because it said so or its time is up. */
  boolean isCancelled();
}
