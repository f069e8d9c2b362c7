package dev.colonnade.client;

/**
 * The answer did not come in time. A write may have been applied all the same: see {@link
 * #applied}.
 */
public final class TimedOutException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  TimedOutException(Failure failure) {
    super(failure);
  }
}
