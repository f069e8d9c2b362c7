package dev.colonnade.server.streaming;

import org.jspecify.annotations.Nullable;

/**
 * A stream that ended before its rows were durable at the receiver, which has none of them then;
 * unless only the answer to the close was lost. To send them again does no harm.
 */
public final class StreamFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says which one, and why; names no path of the host. */
  public StreamFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
