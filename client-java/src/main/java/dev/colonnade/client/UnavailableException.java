package dev.colonnade.client;

/** Too few replicas are up, or no node could be reached. */
public final class UnavailableException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  UnavailableException(Failure failure) {
    super(failure);
  }
}
