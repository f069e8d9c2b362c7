package dev.colonnade.server.base.env;

/**
 * A file operation found no memory outside of the heap for its bytes. For its caller that is like a
 * disk that is full for a moment: nothing else is known to be wrong, and it can be tried again.
 */
public final class NoBufferException extends NoSpaceException {
  private static final long serialVersionUID = 1L;

  /** Says which file, and what the Java machine said. */
  public NoBufferException(String path, OutOfMemoryError cause) {
    super(path + ": " + cause.getMessage());
    initCause(cause);
  }
}
