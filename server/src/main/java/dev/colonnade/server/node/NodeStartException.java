package dev.colonnade.server.node;

/** A node could not start. The message tells the operator what is wrong and what to do. */
public final class NodeStartException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what is wrong. */
  public NodeStartException(String message) {
    super(message);
  }

  /** Says what is wrong, with the cause. */
  public NodeStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
