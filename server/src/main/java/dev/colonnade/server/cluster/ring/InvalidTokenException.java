package dev.colonnade.server.cluster.ring;

/** A text is not a token of this partitioner. The message is for the client. */
public final class InvalidTokenException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what a token of the partitioner looks like, and what was found. */
  public InvalidTokenException(String message) {
    super(message);
  }
}
