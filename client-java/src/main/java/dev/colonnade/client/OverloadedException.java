package dev.colonnade.client;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A limit of the node is reached: back off, then try again. */
public final class OverloadedException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  private final @Nullable Duration retryDelay;

  OverloadedException(Failure failure, @Nullable Duration retryDelay) {
    super(failure);
    this.retryDelay = retryDelay;
  }

  /** How long the node asks callers to wait; empty if it did not say. */
  public Optional<Duration> retryDelay() {
    return Optional.ofNullable(retryDelay);
  }
}
