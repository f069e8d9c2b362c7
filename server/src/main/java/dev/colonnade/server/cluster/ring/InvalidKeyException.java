package dev.colonnade.server.cluster.ring;

/** The partitioner cannot place this key. The message is for the client. */
public final class InvalidKeyException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says which rule the key breaks. */
  public InvalidKeyException(String message) {
    super(message);
  }
}
