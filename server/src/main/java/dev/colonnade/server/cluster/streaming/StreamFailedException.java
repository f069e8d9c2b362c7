package dev.colonnade.server.cluster.streaming;

import org.jspecify.annotations.Nullable;

/**
 * A stream ended before its rows were durable at the receiver, which then has none of them, unless
 * only the answer to the close was lost. Sending them again does no harm.
 */
public final class StreamFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Names the stream and the cause; contains no path of the host. */
  public StreamFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
