package dev.colonnade.server.node.offline;

/** Something that was asked for is refused. The message says why, and what to do. */
public final class OfflineException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says why, and what to do. */
  public OfflineException(String message) {
    super(message);
  }

  OfflineException(String message, Throwable cause) {
    super(message, cause);
  }
}
